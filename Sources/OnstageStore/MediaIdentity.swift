internal import CLinux
internal import Glibc
package import OnstageCore

/// Which media a stored position belongs to.
///
/// A file is known by its canonical path, size and time of change: another recording under the same name starts at 0.
/// Anything else (a stream, a playlist entry) is known by a key of the app's.
package struct MediaIdentity: Hashable, Sendable {
    /// The canonical path, or the app's key.
    package let name: String
    /// Bytes; -1 for a key.
    package let size: Int64
    /// Nanoseconds since 1970; -1 for a key.
    package let changed: Int64

    package init(name: String, size: Int64, changed: Int64) {
        self.name = name
        self.size = size
        self.changed = changed
    }

    /// Media that the app names by itself.
    package init(key: String) {
        self.init(name: key, size: -1, changed: -1)
    }

    /// The file at `path`, through links.
    /// - Throws: the errno of the call, by the one table.
    ///
    /// *Runs on:* any thread that may wait for a disk. *C: `realpath`, `stat`.*
    package init(file path: String) throws(DeviceError) {
        guard let canonical = realpath(path, nil) else {
            throw DeviceError(errno: errno, operation: "realpath", device: path)
        }
        defer { free(canonical) }
        var status = stat()
        guard stat(canonical, &status) == 0 else {
            throw DeviceError(errno: errno, operation: "stat", device: path)
        }
        self.init(
            name: String(cString: canonical), size: Int64(status.st_size),
            changed: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }
}
