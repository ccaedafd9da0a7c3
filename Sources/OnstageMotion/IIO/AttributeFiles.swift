internal import CLinux
internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// A device's attributes, kept open from one acquire to the next, and what is known not to be there: opening one costs
/// several times what reading it does.
///
/// Holds the device in no way: the kernel takes a device away, and a driver off, under open attributes. They are forgotten
/// when the machine's sensors are not the same any more (``DeviceSignature``).
final class AttributeFiles: Sendable {
    private struct Kept {
        /// Descriptors, or minus errno where there is nothing.
        var files: [String: Int32] = [:]
        var names: [String: [String]] = [:]
    }

    private let kept = Mutex(Kept())

    deinit { forget() }

    func forget() {
        kept.withLock { kept in
            for file in kept.files.values where file >= 0 { _ = clinux_close(file) }
            kept = Kept()
        }
    }

    func exists(_ path: String) -> Bool {
        kept.withLock { Self.file(path, &$0) } != -Errno.ENOENT
    }

    /// The names in a folder of the device.
    func names(_ folder: String) -> [String] {
        kept.withLock { kept in
            if let names = kept.names[folder] { return names }
            let names = Folder.names(in: folder)
            kept.names[folder] = names
            return names
        }
    }

    /// The text of an attribute; nil when it is not there or cannot be read.
    func text(_ path: String) -> String? {
        kept.withLock { kept -> String? in
            let file = Self.file(path, &kept)
            guard file >= 0 else { return nil }
            return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { bytes in
                // From the start: there the kernel makes the text anew.
                let count = clinux_read_at(file, bytes.baseAddress, bytes.count, 0)
                return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
            }
        }
    }

    /// Writes `text`; answers 0 or the errno.
    func write(_ text: String, to path: String) -> Int32 {
        kept.withLock { kept in
            let file = Self.file(path, &kept)
            guard file >= 0 else { return -file }
            var text = text
            let answer = text.withUTF8 { clinux_write_at(file, $0.baseAddress, $0.count, 0) }
            guard answer == -Int(Errno.EBADF) else { return answer < 0 ? Int32(-answer) : 0 }
            // Kept for reading only, as it might not be written then: what may be done now is found out anew.
            _ = clinux_close(file)
            kept.files[path] = nil
            let writable = clinux_open(path, O_WRONLY)
            guard writable >= 0 else { return -writable }
            defer { _ = clinux_close(writable) }
            let second = text.withUTF8 { clinux_write(writable, $0.baseAddress, $0.count) }
            return second < 0 ? Int32(-second) : 0
        }
    }

    /// Why a file may be had for one way and not for another; EROFS: /sys is often mounted to be read only.
    private static let barred = [Errno.EACCES, Errno.EPERM, Errno.EROFS]

    /// To read and to write, else to do what may be done.
    private static func file(_ path: String, _ kept: inout Kept) -> Int32 {
        if let file = kept.files[path] { return file }
        var file = -Errno.EACCES
        for how in [O_RDWR, O_RDONLY, O_WRONLY] where barred.contains(-file) { file = clinux_open(path, how) }
        // What is refused for a reason that may pass is asked for again the next time.
        if file >= 0 || file == -Errno.ENOENT { kept.files[path] = file }
        return file
    }
}
