internal import CLinux
package import OnstageCore

/// Reads files that a person wrote: profiles, scenarios.
package enum TextFile {
    /// All bytes of `path`. Never waits for a writer: a FIFO is read as empty.
    /// - Throws: the errno of the call, by the one table; `configuration` for more than `limit` bytes.
    ///
    /// *C: `open`, `read`.*
    package static func bytes(_ path: String, limit: Int = 1 << 20) throws(DeviceError) -> [UInt8] {
        let file = clinux_open(path, O_RDONLY | O_NONBLOCK)
        guard file >= 0 else { throw DeviceError(errno: -file, operation: "open", device: path) }
        defer { _ = clinux_close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = clinux_read(file, &piece, piece.count)
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
