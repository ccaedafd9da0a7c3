/// Samples from what a media source gives to what a device takes, with a volume that changes without a click.
///
/// At volume 1 whole numbers are only shifted: every bit is kept.
struct SampleConversion {
    let source: SourceFormat
    let target: SampleFormat
    let channels: Int
    /// The volume of the sample before the first one, and of the last one.
    let from: Double
    let to: Double

    func run(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, frames: Int) {
        switch source {
        case .s16:
            let samples = input.assumingMemoryBound(to: Int16.self)
            write(output, frames) { Int32(samples[$0]) << 16 }
        case .s24, .s32:
            let samples = input.assumingMemoryBound(to: Int32.self)
            write(output, frames) { samples[$0] }
        case .float:
            let samples = input.assumingMemoryBound(to: Float.self)
            if target == .float {
                let to = output.assumingMemoryBound(to: Float.self)
                each(frames) { index, gain in to[index] = gain == 1 ? samples[index] : samples[index] * Float(gain) }
            } else {
                write(output, frames) { Self.whole(Double(samples[$0]) * 2_147_483_648) }
            }
        }
    }

    private static func whole(_ value: Double) -> Int32 {
        value.isFinite ? Int32(max(-2_147_483_648, min(2_147_483_647, value.rounded()))) : 0
    }

    /// Calls `body` with the index of each sample and its volume.
    @inline(__always)
    private func each(_ frames: Int, _ body: (Int, Double) -> Void) {
        if from == to {
            for index in 0..<(frames * channels) { body(index, to) }
            return
        }
        let step = (to - from) / Double(frames)
        for frame in 0..<frames {
            let gain = from + step * Double(frame + 1)
            for channel in 0..<channels { body(frame * channels + channel, gain) }
        }
    }

    /// Writes samples that `value` gives at the high end of 32 bits.
    @inline(__always)
    private func write(_ output: UnsafeMutableRawPointer, _ frames: Int, _ value: (Int) -> Int32) {
        @inline(__always) func scaled(_ index: Int, _ gain: Double, bits: Int32) -> Int32 {
            if gain == 1 { return value(index) >> (32 - bits) }
            // Rounded at the width of the target, so that no offset comes in.
            return Self.whole(Double(value(index)) * gain / Double(Int64(1) << Int64(32 - bits)))
        }
        switch target {
        case .s16:
            let to = output.assumingMemoryBound(to: Int16.self)
            each(frames) { to[$0] = Int16(truncatingIfNeeded: scaled($0, $1, bits: 16)) }
        case .s32:
            let to = output.assumingMemoryBound(to: Int32.self)
            each(frames) { to[$0] = scaled($0, $1, bits: 32) }
        case .s24:
            let to = output.assumingMemoryBound(to: Int32.self)
            each(frames) { to[$0] = scaled($0, $1, bits: 24) }
        case .s24Packed:
            let to = output.assumingMemoryBound(to: UInt8.self)
            each(frames) { index, gain in
                let sample = UInt32(bitPattern: scaled(index, gain, bits: 24))
                to[3 * index] = UInt8(truncatingIfNeeded: sample)
                to[3 * index + 1] = UInt8(truncatingIfNeeded: sample >> 8)
                to[3 * index + 2] = UInt8(truncatingIfNeeded: sample >> 16)
            }
        case .float:
            let to = output.assumingMemoryBound(to: Float.self)
            each(frames) { to[$0] = Float(Double(value($0)) / 2_147_483_648 * $1) }
        }
    }
}
