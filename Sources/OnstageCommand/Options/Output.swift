internal import CLinux
internal import Glibc

/// Writes whole texts to standard output and standard error, past the C library's buffers: what was said before a crash
/// was said, and the order of the two stays.
enum Output {
    /// Writes `text` to standard output; false when it could not be (a full disk, a reader that left).
    @discardableResult
    static func out(_ text: String) -> Bool { write(text, STDOUT_FILENO) }

    /// Writes `text` to standard error.
    static func complain(_ text: String) { write(text, STDERR_FILENO) }

    @discardableResult
    private static func write(_ text: String, _ descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let answer = rest.withUnsafeBytes { clinux_write(descriptor, $0.baseAddress, $0.count) }
            guard answer > 0 else {
                // Somebody has set the terminal or the pipe to non-blocking: wait for room, but not for ever.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard answer == -Int(EAGAIN), clinux_poll(&entry, 1, 1_000_000_000) > 0 else { return false }
                continue
            }
            rest = rest.dropFirst(answer)
        }
        return true
    }
}
