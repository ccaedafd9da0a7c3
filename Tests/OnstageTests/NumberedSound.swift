import Glibc

/// Sound in which every frame tells its number.
enum NumberedSound {
    struct POSIXFailure: Error {
        let number: Int32
        init(_ number: Int32) { self.number = number }
    }

    /// A 48 kHz S16 stereo WAV whose frame i carries i + 1: silence is 0 and never sound.
    static func write(_ path: String, frames: Int) throws {
        var bytes: [UInt8] = Array("RIFF".utf8)
        func add<T: FixedWidthInteger>(_ value: T) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
        let count = frames * 4
        add(UInt32(36 + count))
        bytes += Array("WAVEfmt ".utf8)
        add(UInt32(16))
        add(UInt16(1))
        add(UInt16(2))
        add(UInt32(48000))
        add(UInt32(192_000))
        add(UInt16(4))
        add(UInt16(16))
        bytes += Array("data".utf8)
        add(UInt32(count))
        for frame in 1...frames { add(UInt32(frame)) }
        let file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
        guard file >= 0 else { throw POSIXFailure(errno) }
        defer { close(file) }
        guard bytes.withUnsafeBytes({ Glibc.write(file, $0.baseAddress, $0.count) }) == bytes.count else {
            throw POSIXFailure(errno)
        }
    }

    /// The frame numbers in a recording, silence left out.
    static func heard(_ path: String) throws -> [UInt32] {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw POSIXFailure(errno) }
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: size)
        guard bytes.withUnsafeMutableBytes({ pread(file, $0.baseAddress, size, 0) }) == size, size >= 44 else {
            throw POSIXFailure(errno)
        }
        return bytes.withUnsafeBytes { raw in
            stride(from: 44, to: size - 3, by: 4).compactMap { offset in
                let frame = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                return frame == 0 ? nil : frame
            }
        }
    }
}
