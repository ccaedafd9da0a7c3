/// Samples from what a media source gives to what a device takes, each frame as loud as an envelope says.
///
/// At level 1 whole numbers are only shifted: every bit is kept. Else a sample is rounded to the nearest that the
/// device can take, without dither: the error is half a step at most, silence stays silence, and a frame comes out the same
/// whenever it is played.
///
/// Where the device's channels are others than the source's, a matrix says how much of each goes where. A channel that is only
/// put elsewhere keeps every bit as well.
struct SampleConversion {
    let source: SourceFormat
    let target: SampleFormat
    /// Of the source.
    let channels: Int
    /// Nil where the device takes the source's channels as they are.
    let matrix: ChannelMatrix?

    init(source: SourceFormat, target: SampleFormat, channels: Int, matrix: ChannelMatrix? = nil) {
        precondition(matrix.map { $0.inputs == channels } ?? true, "a matrix for other channels")
        self.source = source
        self.target = target
        self.channels = channels
        self.matrix = matrix.flatMap { $0.isIdentity ? nil : $0 }
    }

    /// Bytes of a frame as the device takes it.
    var targetBytes: Int { (matrix?.outputs ?? channels) * target.bytes }

    /// Converts `frames` frames, the first of which is frame `first` of the envelope.
    func run(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, frames: Int, _ gain: borrowing GainEnvelope,
        at first: Int64
    ) {
        let level = gain.constant(first, frames)
        if let matrix {
            return mix(input, output, frames, matrix) { level ?? gain.level(first + Int64($0)) }
        }
        if let level {
            run(input, output, frames * channels, level)
            return
        }
        for frame in 0..<frames {
            run(
                input + frame * channels * source.bytes, output + frame * channels * target.bytes, channels,
                gain.level(first + Int64(frame)))
        }
    }

    /// Converts `count` samples of one level.
    private func run(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int, _ level: Double) {
        switch source {
        case .s16:
            let samples = input.assumingMemoryBound(to: Int16.self)
            write(output, count, level) { Int32(samples[$0]) << 16 }
        case .s24, .s32:
            let samples = input.assumingMemoryBound(to: Int32.self)
            write(output, count, level) { samples[$0] }
        case .float:
            let samples = input.assumingMemoryBound(to: Float.self)
            switch target {
            case .float:
                let to = output.assumingMemoryBound(to: Float.self)
                let level = Float(level)
                for index in 0..<count { to[index] = samples[index] * level }
            case .s16, .s32, .s24, .s24Packed:
                // Rounded once, at the width of the target.
                let scale = level * Double(Int64(1) << Int64(target.bits - 1))
                store(output, count) { Self.whole(Double(samples[$0]) * scale, bits: target.bits) }
            }
        }
    }

    /// Converts `frames` frames through a matrix. A sum is rounded once, at the width of the target; 53 bits hold each sample.
    private func mix(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ frames: Int, _ matrix: ChannelMatrix,
        _ level: (Int) -> Double
    ) {
        switch source {
        case .s16:
            let samples = input.assumingMemoryBound(to: Int16.self)
            mix(output, frames, matrix, level) { Double(samples[$0]) / 32_768 }
        case .s24, .s32:
            let samples = input.assumingMemoryBound(to: Int32.self)
            mix(output, frames, matrix, level) { Double(samples[$0]) / 2_147_483_648 }
        case .float:
            let samples = input.assumingMemoryBound(to: Float.self)
            mix(output, frames, matrix, level) { Double(samples[$0]) }
        }
    }

    @inline(__always)
    private func mix(
        _ output: UnsafeMutableRawPointer, _ frames: Int, _ matrix: ChannelMatrix, _ level: (Int) -> Double,
        _ value: (Int) -> Double
    ) {
        let (inputs, outputs) = (matrix.inputs, matrix.outputs)
        matrix.gains.withUnsafeBufferPointer { gains in
            let scale = target == .float ? 1 : Double(Int64(1) << Int64(target.bits - 1))
            for frame in 0..<frames {
                let level = level(frame) * scale
                func sum(_ output: Int) -> Double {
                    var sum = 0.0
                    for input in 0..<inputs where gains[output * inputs + input] != 0 {
                        sum += value(frame * inputs + input) * gains[output * inputs + input]
                    }
                    return sum * level
                }
                let to = output + frame * outputs * target.bytes
                if target == .float {
                    let to = to.assumingMemoryBound(to: Float.self)
                    for index in 0..<outputs { to[index] = Float(sum(index)) }
                } else {
                    store(to, outputs) { Self.whole(sum($0), bits: target.bits) }
                }
            }
        }
    }

    private static func whole(_ value: Double, bits: Int32) -> Int32 {
        let most = Double(Int64(1) << Int64(bits - 1))
        return value.isFinite ? Int32(max(-most, min(most - 1, value.rounded()))) : 0
    }

    /// Writes samples that `value` gives at the high end of 32 bits.
    @inline(__always)
    private func write(
        _ output: UnsafeMutableRawPointer, _ count: Int, _ level: Double, _ value: (Int) -> Int32
    ) {
        if target == .float {
            let to = output.assumingMemoryBound(to: Float.self)
            for index in 0..<count { to[index] = Float(Double(value(index)) / 2_147_483_648 * level) }
            return
        }
        let bits = target.bits
        if level == 1 && bits >= source.bits {
            store(output, count) { value($0) >> (32 - bits) }
        } else {
            // Rounded at the width of the target, so that no offset comes in.
            let scale = level / Double(Int64(1) << Int64(32 - bits))
            store(output, count) { Self.whole(Double(value($0)) * scale, bits: bits) }
        }
    }

    /// Puts whole numbers of the target's width where it wants them.
    @inline(__always)
    private func store(_ output: UnsafeMutableRawPointer, _ count: Int, _ value: (Int) -> Int32) {
        switch target {
        case .s16:
            let to = output.assumingMemoryBound(to: Int16.self)
            for index in 0..<count { to[index] = Int16(truncatingIfNeeded: value(index)) }
        case .s32, .s24, .float:
            let to = output.assumingMemoryBound(to: Int32.self)
            for index in 0..<count { to[index] = value(index) }
        case .s24Packed:
            let to = output.assumingMemoryBound(to: UInt8.self)
            for index in 0..<count {
                let sample = UInt32(bitPattern: value(index))
                to[3 * index] = UInt8(truncatingIfNeeded: sample)
                to[3 * index + 1] = UInt8(truncatingIfNeeded: sample >> 8)
                to[3 * index + 2] = UInt8(truncatingIfNeeded: sample >> 16)
            }
        }
    }
}
