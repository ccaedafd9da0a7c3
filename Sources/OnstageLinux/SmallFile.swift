internal import CLinux

/// Reads files of /proc and /sys: small, made up by the kernel at the moment of reading, gone at any time.
package enum SmallFile {
    /// At most `limit` bytes of `path` as text, with invalid UTF-8 mended; nil when it cannot be read. *C: `read`.*
    package static func text(_ path: String, at base: Int32? = nil, limit: Int = 4096) -> String? {
        let file = clinux_open_at(base ?? AT_FDCWD, path, O_RDONLY | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { _ = clinux_close(file) }
        return withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { bytes -> String? in
            var count = 0
            while count < limit, let start = bytes.baseAddress {
                let answer = clinux_read(file, start + count, limit - count)
                guard answer >= 0 else { return nil }
                if answer == 0 { break }
                count += answer
            }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    /// The first line of `path`, without its end and without control characters (a process may name itself anything).
    package static func line(_ path: String, at base: Int32? = nil) -> String? {
        guard var text = text(path, at: base, limit: 256) else { return nil }
        if text.hasSuffix("\n") { text.removeLast() }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : $0 }))
    }
}
