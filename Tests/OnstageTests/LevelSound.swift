import Glibc
import Onstage
import Synchronization

/// Endless sound whose recording tells how loud each frame was, and which one it was, whatever its volume.
///
/// Left is always the same; right is a ramp beneath it: their ratio is the frame's number, modulo 1,000.
final class LevelSound: Sendable {
    struct Frame: Equatable {
        var level: Double
        var number: Int
    }

    private static let full = 20_000
    private let next = Atomic<Int>(0)

    @Sendable func fill(_ samples: inout MutableSpan<Int16>) -> Int? {
        let first = next.load(ordering: .relaxed)
        for index in 0..<samples.count / 2 {
            samples[2 * index] = Int16(Self.full)
            samples[2 * index + 1] = Int16((first + index) % 1_000 * (Self.full / 1_000))
        }
        next.store(first + samples.count / 2, ordering: .relaxed)
        return samples.count / 2
    }

    /// What was heard, silence left out.
    static func heard(_ path: String) throws -> [Frame] {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw NumberedSound.POSIXFailure(errno) }
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: size)
        guard bytes.withUnsafeMutableBytes({ pread(file, $0.baseAddress, size, 0) }) == size, size >= 44 else {
            throw NumberedSound.POSIXFailure(errno)
        }
        return bytes.withUnsafeBytes { raw in
            stride(from: 44, to: size - 3, by: 4).compactMap { offset in
                let left = Double(raw.loadUnaligned(fromByteOffset: offset, as: Int16.self))
                let right = Double(raw.loadUnaligned(fromByteOffset: offset + 2, as: Int16.self))
                guard left != 0 else { return nil }
                return Frame(level: left / Double(full), number: Int((right * 1_000 / left).rounded()) % 1_000)
            }
        }
    }

    /// The first place where a frame does not follow its forerunner; nil where every one was heard once, in order.
    static func fault(_ frames: [Frame]) -> String? {
        guard let place = frames.indices.first(where: { frames[$0].number != $0 % 1_000 }) else { return nil }
        return "frame \(frames[place]) in the place of \(place)"
    }
}
