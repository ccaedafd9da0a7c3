import CSndfile
import Glibc
import OnstageTestSupport
import Testing

/// Makes sound files of every kind that libsndfile can write, out of nothing: no media lie in the tree.
enum SoundMaker {
    /// What is in a file.
    enum Content: Sendable {
        /// Tones that rise, clicks, some noise: every kind of block that a codec has.
        case lively
        /// A second of that and two of silence, in turns: pages and reservoirs that reach far.
        case sparse
        /// Each sample follows from its frame: what is where is seen at once.
        case ramp
    }

    nonisolated(unsafe) private static let library = dlopen("libsndfile.so.1", RTLD_NOW)  // never closed

    private static func call<F>(_ name: String, as type: F.Type) -> F? {
        dlsym(library, name).map { unsafeBitCast($0, to: type) }
    }

    /// Writes `frames` frames to `path`; false where this build of libsndfile cannot write the format.
    ///
    /// - Parameter quality: 0 the best … 1 the smallest, for codecs that have such a thing.
    static func write(
        _ path: String, _ format: Int, rate: Int, channels: Int, frames: Int, quality: Double? = nil,
        _ content: Content = .lively
    ) -> Bool {
        typealias Open = @convention(c) (UnsafePointer<CChar>, Int32, UnsafeMutablePointer<SF_INFO>) -> OpaquePointer?
        typealias Write = @convention(c) (OpaquePointer, UnsafePointer<Float>, Int64) -> Int64
        typealias Command = @convention(c) (OpaquePointer, Int32, UnsafeMutableRawPointer?, Int32) -> Int32
        typealias Close = @convention(c) (OpaquePointer) -> Int32
        guard let open = call("sf_open", as: Open.self), let write = call("sf_writef_float", as: Write.self),
            let command = call("sf_command", as: Command.self), let close = call("sf_close", as: Close.self)
        else { return false }
        var info = SF_INFO()
        info.format = Int32(format)
        info.samplerate = Int32(rate)
        info.channels = Int32(channels)
        guard let file = open(path, Int32(SFM_WRITE), &info) else { return false }
        defer { _ = close(file) }
        if var quality {
            _ = command(file, Int32(SFC_SET_COMPRESSION_LEVEL), &quality, 8)
        }
        _ = command(file, Int32(SFC_SET_CLIPPING), nil, 1)
        var chance = SplitMix64(seed: UInt64(frames))
        var block = [Float](repeating: 0, count: 4096 * channels)
        var done = 0
        while done < frames {
            let count = min(4096, frames - done)
            for frame in 0..<count {
                let value = sample(done + frame, rate, content, &chance)
                for channel in 0..<channels { block[frame * channels + channel] = value * (channel == 0 ? 1 : 0.7) }
            }
            guard write(file, block, Int64(count)) == Int64(count) else { return false }
            done += count
        }
        return true
    }

    private static func sample(_ frame: Int, _ rate: Int, _ content: Content, _ chance: inout SplitMix64) -> Float {
        let time = Double(frame) / Double(rate)
        let noise = Float(Int64(bitPattern: chance.next()) >> 40) / Float(1 << 23)
        switch content {
        case .ramp: return Float(frame % 65_536 - 32_768) / 32_768
        case .sparse where fmod(time, 3) >= 1: return 0
        case .lively, .sparse:
            let tone = Float(0.3 * sin(2 * .pi * fmod((200 + 150 * time) * time, 1)))
            return tone + 0.02 * noise + (fmod(time, 0.37) < 0.004 ? 0.4 * noise : 0)
        }
    }
}
