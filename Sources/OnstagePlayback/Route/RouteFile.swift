internal import CLinux
internal import Glibc
internal import OnstageCore
internal import OnstageLinux

/// What a route has changed, where it outlives a process that is killed: the next route on the same card puts it back first.
///
/// A file for each route that stands, beside the sockets of running programs (`$XDG_RUNTIME_DIR/onstage`, `/run/onstage`): like
/// what a mixer is set to, that is gone when the machine starts anew. It is locked while its process lives, so that who finds it
/// unlocked knows, whatever PIDs mean there. Never waited for by a disk.
final class RouteFile: Sendable {
    private let path: String
    private let number: Int32

    /// Nil where nothing can be kept: the route is put back all the same, unless the process is killed.
    init?(card: String, folder: String?) {
        guard let folder else { return nil }
        let stamp = String(MonotonicTime.now.nanoseconds)
        // Of equal length, so that names sort by age.
        let age = String(repeating: "0", count: max(0, 20 - stamp.count)) + stamp
        let path = "\(folder)/\(Self.prefix(card))\(age)-\(getpid())"
        let answer = clinux_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        guard answer >= 0 else { return nil }
        guard flock(answer, LOCK_EX | LOCK_NB) == 0 else {
            unlink(path)
            _ = clinux_close(answer)
            return nil
        }
        self.path = path
        number = answer
    }

    deinit {
        // A child that is just being made may have a copy of the descriptor.
        _ = flock(number, LOCK_UN)
        _ = clinux_close(number)
    }

    private static func prefix(_ card: String) -> String { "route-\(card)-" }

    /// The folder to keep them in; nil for none.
    static let folder: String? = ControlFolder.candidates().first { path in
        (try? ControlFolder.prepare(path)) != nil  // the next one else
    }

    /// Which start of the machine this is.
    private static var boot: String { SmallFile.line("/proc/sys/kernel/random/boot_id") ?? "" }

    /// What stands there from now on.
    func write(_ changes: [RouteChange]) {
        let text = ([Self.boot] + changes.map(\.line)).joined(separator: "\n") + "\n"
        let bytes = Array(text.utf8)
        // A line that is not whole is left out by who reads it.
        _ = bytes.withUnsafeBytes { clinux_write_at(number, $0.baseAddress, $0.count, 0) }
        _ = ftruncate(number, bytes.count)
    }

    /// The route has been put back.
    func remove() {
        unlink(path)
    }

    /// Takes what processes that were killed have left of routes on `card`, the latest route first; their files are gone then.
    static func takeLeftovers(card: String, folder: String?) -> [[RouteChange]] {
        guard let folder else { return [] }
        var found: [[RouteChange]] = []
        for name in Folder.names(in: folder).reversed() where name.hasPrefix(prefix(card)) {
            let path = "\(folder)/\(name)"
            let answer = clinux_open(path, O_RDWR | O_NOFOLLOW)
            guard answer >= 0 else { continue }
            let file = Descriptor(owning: answer)
            guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { continue }  // its process lives
            let text = SmallFile.text(path, limit: 1 << 20) ?? ""
            unlink(path)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            guard let first = lines.first, first == boot else { continue }
            found.append(lines.dropFirst().compactMap(RouteChange.init(line:)))
        }
        return found
    }
}
