internal import CLinux
internal import Glibc
internal import OnstageCore
internal import OnstageLinux

/// What a route has changed, where other processes see it, and where it outlives its own.
///
/// A file for each route, beside the sockets of running programs (`$XDG_RUNTIME_DIR/onstage`, `/run/onstage`): like what a mixer
/// is set to, that is gone when the machine starts anew. It is locked while its route stands, so that who finds it unlocked
/// knows, whatever PIDs mean there. Never waited for by a disk. All of it happens with the card's ``RouteLock``.
final class RouteFile: Sendable {
    let path: String
    private let number: Int32

    /// - Throws: the errno (positive) of what failed.
    init(_ name: String, folder: String) throws(PCMFault) {
        let path = "\(folder)/\(name)"
        let answer = clinux_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        guard answer >= 0 else { throw PCMFault(errno: -answer) }
        guard flock(answer, LOCK_EX | LOCK_NB) == 0 else {
            let fault = errno
            unlink(path)
            _ = clinux_close(answer)
            throw PCMFault(errno: fault)
        }
        self.path = path
        number = answer
    }

    deinit {
        // A child that is just being made may have a copy of the descriptor.
        _ = flock(number, LOCK_UN)
        _ = clinux_close(number)
    }

    /// What stands there from now on.
    /// - Throws: the errno (positive) of what failed; what could be written is there, in whole lines or not.
    func write(_ record: RouteRecord) throws(PCMFault) { try Self.write(record, number) }

    /// The route has been put back.
    func remove() { unlink(path) }

    private static func write(_ record: RouteRecord, _ number: Int32) throws(PCMFault) {
        let bytes = Array(record.text(boot: boot).utf8)
        var done = 0
        while done < bytes.count {
            let answer = bytes[done...].withUnsafeBytes {
                clinux_write_at(number, $0.baseAddress, $0.count, done)
            }
            guard answer > 0 else { throw PCMFault(errno: answer < 0 ? Int32(-answer) : Errno.EIO) }
            done += answer
        }
        guard ftruncate(number, bytes.count) == 0 else { throw PCMFault(errno: errno) }
    }

    // MARK: Those of others

    /// One that is there and not ours.
    struct Other: Sendable {
        var name: String
        var record: RouteRecord
        /// Its process has it.
        var isLiving: Bool
    }

    /// All on `card` but our own, sorted by age; what is of another start of the machine is taken away.
    static func others(card: String, folder: String, own: Set<String>) -> [Other] {
        Folder.names(in: folder).compactMap { name -> Other? in
            guard isName(name, card), !own.contains(name) else { return nil }
            let path = "\(folder)/\(name)"
            let answer = clinux_open(path, O_RDWR | O_NOFOLLOW)
            guard answer >= 0 else {
                let isNone = [ENOENT, ELOOP, EISDIR].contains(-answer)
                // What cannot be looked at (no descriptor is left) is not taken for dead.
                return isNone ? nil : Other(name: name, record: RouteRecord(changes: []), isLiving: true)
            }
            let file = Descriptor(owning: answer)
            // A child that is just being made may have a copy of the descriptor.
            defer { _ = flock(file.number, LOCK_UN) }
            let isLiving = flock(file.number, LOCK_EX | LOCK_NB) < 0
            let text = SmallFile.text(path, limit: 1 << 20) ?? ""
            if let record = RouteRecord(text: text, boot: boot) {
                return Other(name: name, record: record, isLiving: isLiving)
            }
            if !isLiving { unlink(path) }
            return isLiving ? Other(name: name, record: RouteRecord(changes: []), isLiving: true) : nil
        }
    }

    /// Has something else stand in one that nobody has open. What cannot be written is lost with it.
    static func rewrite(_ name: String, folder: String, _ record: RouteRecord) throws(PCMFault) {
        let answer = clinux_open("\(folder)/\(name)", O_RDWR | O_NOFOLLOW)
        guard answer >= 0 else { throw PCMFault(errno: -answer) }
        let file = Descriptor(owning: answer)
        try write(record, file.number)
    }

    static func remove(_ name: String, folder: String) { unlink("\(folder)/\(name)") }

    // MARK: Names

    /// The folder to keep them in; nil for none.
    static let folder: String? = ControlFolder.candidates().first { path in
        (try? ControlFolder.prepare(path)) != nil  // the next one else
    }

    /// Which start of the machine this is.
    private static var boot: String { SmallFile.line("/proc/sys/kernel/random/boot_id") ?? "" }

    private static let digits = 20

    /// That of a route that is set now: by their names they sort by age.
    static func newName(card: String) -> String {
        let stamp = String(MonotonicTime.now.nanoseconds)
        return "route-\(card)-" + String(repeating: "0", count: max(0, digits - stamp.count)) + stamp + "-\(getpid())"
    }

    /// Not of a card whose ID begins like this one's.
    private static func isName(_ name: String, _ card: String) -> Bool {
        let prefix = "route-\(card)-"
        guard name.hasPrefix(prefix) else { return false }
        let words = name.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
        return words.count == 2 && words[0].count == digits
            && words.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isNumber) }
    }
}
