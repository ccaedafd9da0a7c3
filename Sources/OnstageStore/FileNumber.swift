internal import Glibc

/// Which file a name stands for now: a name that has changed hands has another number.
struct FileNumber: Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// Nil when nothing is there.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    enum Kind {
        case missing, empty, regular, other
    }

    /// What lies at `path`, through links.
    static func kind(of path: String) -> Kind {
        var status = stat()
        guard stat(path, &status) == 0 else {
            // A link to nowhere is not a place to write to either.
            return lstat(path, &status) == 0 ? .other : .missing
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return .other }
        return status.st_size == 0 ? .empty : .regular
    }
}
