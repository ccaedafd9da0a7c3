internal import CLinux
package import OnstageCore

/// Reads files that a person wrote: profiles, scenarios.
package enum TextFile {
    /// All bytes of `path`.
    ///
    /// - Parameter waits: also reads what a pipe's writers write until the last one has closed it, and waits for the first
    ///   one; nothing but a signal that ends the process ends that. Else only a regular file is read, at once.
    /// - Throws: the errno of the call, by the one table; `configuration` for more than `limit` bytes, and for what is no
    ///   regular file where it does not wait.
    ///
    /// *C: `open`, `poll`, `read`.*
    package static func bytes(
        _ path: String, limit: Int = 1 << 20, waits: Bool = false
    ) throws(DeviceError) -> [UInt8] {
        let file = clinux_open(path, O_RDONLY | O_NONBLOCK)
        guard file >= 0 else { throw DeviceError(errno: -file, operation: "open", device: path) }
        defer { _ = clinux_close(file) }
        if !waits, clinux_file_size(file) < 0 {
            throw DeviceError(.configuration, operation: "open", device: path, reason: "it is not a regular file")
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            // A pipe that nobody has opened for writing yet reads as ended, but is not readable.
            if waits, clinux_poll_readable(file) == 0 { continue }
            let count = clinux_read(file, &piece, piece.count)
            if waits, -count == Int(EAGAIN) { continue }
            guard count >= 0 else { throw DeviceError(errno: Int32(-count), operation: "read", device: path) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limit else {
                throw DeviceError(
                    .configuration, operation: "", device: path, reason: "it is longer than \(limit) bytes")
            }
        }
    }
}
