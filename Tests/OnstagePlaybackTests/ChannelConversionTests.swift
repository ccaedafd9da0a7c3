import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite("Samples through a channel matrix")
struct ChannelConversionTests {
    /// The bytes of `samples` as a source gives them.
    private static func bytes(_ samples: [Int32], _ source: SourceFormat) -> [UInt8] {
        samples.flatMap { sample -> [UInt8] in
            switch source {
            case .s16: withUnsafeBytes(of: Int16(sample >> 16)) { Array($0) }
            case .s24, .s32: withUnsafeBytes(of: sample) { Array($0) }
            case .float: withUnsafeBytes(of: Float(Double(sample) / 2_147_483_648)) { Array($0) }
            }
        }
    }

    private static func converted(
        _ samples: [Int32], _ source: SourceFormat, _ target: SampleFormat, channels: Int, _ matrix: ChannelMatrix?,
        _ gain: GainEnvelope = GainEnvelope()
    ) -> [UInt8] {
        let frames = samples.count / channels
        var output = [UInt8](repeating: 0xEE, count: frames * (matrix?.outputs ?? channels) * target.bytes)
        bytes(samples, source).withUnsafeBytes { from in
            output.withUnsafeMutableBytes { to in
                guard let from = from.baseAddress, let to = to.baseAddress else { return }
                SampleConversion(source: source, target: target, channels: channels, matrix: matrix)
                    .run(from, to, frames: frames, gain, at: 0)
            }
        }
        return output
    }

    /// What fits 16 bits, 24 or all, by the source.
    private static func samples(_ count: Int, _ source: SourceFormat) -> [Int32] {
        var chance = SplitMix64(seed: 16)
        let mask: Int32 = source == .s16 ? ~0xFFFF : source == .s32 ? ~0 : ~0xFF
        let rest = (3..<count).map { _ in Int32.random(in: .min ... .max, using: &chance) & mask }
        return [.min & mask, .max & mask, 0] + rest
    }

    @Test(
        "A-16: a channel that is only put elsewhere comes out bit by bit as by itself",
        arguments: [SourceFormat.s16, .s24, .s32, .float], SampleFormat.allCases)
    func placed(source: SourceFormat, target: SampleFormat) {
        let wav = Self.samples(600, source)
        let order = [0, 1, 4, 5, 2, 3]  // of WAV's channels in ALSA's order
        let alsa: [Int32] = (0..<100).flatMap { frame in order.map { place in wav[frame * 6 + place] } }
        let matrix = ChannelMatrix(from: .media(6), to: .device(6))
        #expect(
            Self.converted(wav, source, target, channels: 6, matrix)
                == Self.converted(alsa, source, target, channels: 6, nil))
        let mono = Self.samples(100, source)
        #expect(
            Self.converted(mono, source, target, channels: 1, ChannelMatrix(from: .media(1), to: .device(2)))
                == Self.converted(mono.flatMap { [$0, $0] }, source, target, channels: 2, nil))
        // The front left and right of six, the rest silent.
        let stereo = Self.samples(200, source)
        var wide = [Int32](repeating: 0, count: 600)
        for frame in 0..<100 {
            wide[frame * 6] = stereo[frame * 2]
            wide[frame * 6 + 1] = stereo[frame * 2 + 1]
        }
        #expect(
            Self.converted(stereo, source, target, channels: 2, ChannelMatrix(from: .media(2), to: .device(6)))
                == Self.converted(wide, source, target, channels: 6, nil))
    }

    @Test("A-16: a mix is rounded once, and clips at no sample")
    func mixed() {
        let whole = 1 + 2.0.squareRoot()
        let matrix = ChannelMatrix(from: .media(6), to: .device(2))
        let loud = Array(repeating: Int32.max & ~0xFFFF, count: 6) + Array(repeating: Int32.min, count: 6)
        let samples = Self.samples(600, .s16) + loud
        let output = Self.converted(samples, .s16, .s16, channels: 6, matrix)
        output.withUnsafeBytes { bytes in
            let heard = bytes.bindMemory(to: Int16.self)
            for frame in 0..<102 {
                let from = (0..<6).map { Double(samples[frame * 6 + $0] >> 16) }
                for side in 0..<2 {
                    let wanted = (from[side] + (from[2] + from[4 + side]) * 0.5.squareRoot()) / whole
                    #expect(abs(Double(heard[frame * 2 + side]) - wanted) <= 0.5 + 1e-9)
                }
            }
            #expect(heard[200] == .max && heard[202] == .min)
        }
    }

    @Test("A-16: every frame of a ramp has its own level in the mix as well")
    func levels() {
        var gain = GainEnvelope(level: 0)
        gain.aim(1, at: 10, over: 50)
        let mono = Self.samples(100, .s32)
        #expect(
            Self.converted(mono, .s32, .float, channels: 1, ChannelMatrix(from: .media(1), to: .device(2)), gain)
                == Self.converted(mono.flatMap { [$0, $0] }, .s32, .float, channels: 2, nil, gain))
    }

    @Test("A-16: what has the device's channels already goes by itself: no sample is touched")
    func untouched() {
        let same = ChannelMatrix(from: .media(2), to: .device(2))
        #expect(SampleConversion(source: .s16, target: .s16, channels: 2, matrix: same).matrix == nil)
        let block = SampleBlock(source: .s16, target: .s16, channels: 2, matrix: same, capacity: 10)
        let isSame = block.isSameFormat
        #expect(isSame)
        let mono = ChannelMatrix(from: .media(1), to: .device(2))
        let mixing = SampleBlock(source: .s16, target: .s16, channels: 1, matrix: mono, capacity: 10)
        let isMixedSame = mixing.isSameFormat
        #expect(!isMixedSame)
    }
}
