internal import CLinux
internal import Glibc
package import OnstageCore
internal import Synchronization

/// Files that are whole or are not there, whatever happens while they are written.
package enum AtomicFile {
    /// Puts `bytes` at `path`: a reader sees the old file or the new one, also after a power cut.
    ///
    /// A link is followed to the file it names. What is no regular file (a terminal, a FIFO, /dev/stdout) is written to.
    /// - Throws: by the one table, with the call that failed; then the old file stands and nothing is left beside it.
    ///
    /// *Runs on:* any thread that may wait for the disk. *C: `open`, `write`, `fsync`, `rename`.*
    package static func write(_ path: String, _ bytes: borrowing RawSpan) throws(DeviceError) {
        var file = clinux_file()
        if clinux_look(AT_FDCWD, path, &file) == 0, !clinux_is_regular(file), !clinux_is_folder(file) {
            // A FIFO that nobody reads is refused (ENXIO): the open would stand until somebody does.
            let stream = try Descriptor(opening: path, flags: O_WRONLY | O_NOCTTY | O_NONBLOCK)
            _ = fcntl(stream.number, F_SETFL, O_WRONLY)
            try fill(stream.number, bytes, path)
            return stream.close()
        }
        let target = Path.canonical(path) ?? path  // nothing is there yet
        let temporary = "\(target).\(getpid()).\(count.add(1, ordering: .relaxed).newValue).tmp"
        let answer = clinux_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        guard answer >= 0 else { throw failure(answer, "open", path) }
        let created = Descriptor(owning: answer)
        do throws(DeviceError) {
            try fill(created.number, bytes, path)
            try check(clinux_sync(created.number), "fsync", path)
            try check(clinux_rename(temporary, target), "rename", path)
        } catch {
            unlink(temporary)
            throw error
        }
        created.close()
        try keepFolder(of: target, path)
    }

    /// Puts `text` at `path`. See ``write(_:_:)-(_,RawSpan)``.
    package static func write(_ path: String, _ text: String) throws(DeviceError) {
        let bytes = Array(text.utf8)
        try write(path, bytes.span.bytes)
    }

    private static let count = Atomic<UInt64>(0)

    private static func fill(_ descriptor: Int32, _ bytes: borrowing RawSpan, _ path: String) throws(DeviceError) {
        var done = 0
        while done < bytes.byteCount {
            let answer = bytes.withUnsafeBytes { all in
                clinux_write(descriptor, all.baseAddress.map { $0 + done }, all.count - done)
            }
            guard answer >= 0 else { throw failure(Int32(answer), "write", path) }
            done += answer
        }
    }

    /// The rename itself is on the disk when its folder is. Some file systems have nothing to do for it and say so.
    private static func keepFolder(of target: String, _ path: String) throws(DeviceError) {
        let folder = target.lastIndex(of: "/").map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
        let opened = clinux_open(folder, O_RDONLY | O_DIRECTORY)
        guard opened >= 0 else { return }  // a folder that may be written to but not read
        let answer = clinux_sync(opened)
        _ = clinux_close(opened)
        if -answer != EINVAL, -answer != EROFS { try check(answer, "fsync", path) }
    }

    private static func check(_ answer: Int32, _ operation: String, _ path: String) throws(DeviceError) {
        guard answer < 0 else { return }
        throw failure(answer, operation, path)
    }

    private static func failure(_ answer: Int32, _ operation: String, _ path: String) -> DeviceError {
        DeviceError(errno: -answer, operation: operation, device: path)
    }
}
