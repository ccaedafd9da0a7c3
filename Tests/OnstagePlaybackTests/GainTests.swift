import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite("Tables: how loud a frame is")
struct GainTests {
    @Test("a change is a ramp: from where it stands to where it is to be, without a step or a corner")
    func ramp() {
        var gain = GainEnvelope(level: 1)
        gain.aim(0.25, at: 1000, over: 960)
        #expect(gain.level(999) == 1)
        #expect(gain.level(1000) < 1)
        #expect(gain.level(1960) == 0.25)
        #expect(gain.level(1_000_000) == 0.25)
        #expect(abs((gain.level(1479) + gain.level(1480)) / 2 - 0.625) < 1e-12)
        #expect(gain.level(1959) > 0.25)
        var before = 1.0
        var slope = 0.0
        for frame in Int64(900)..<2100 {
            let level = gain.level(frame)
            #expect(level <= before)
            // The steepest of 3x² − 2x³ is 1.5, its sharpest bend 6.
            #expect(before - level <= 0.75 * 1.5 / 960 * 1.001)
            let bend = abs((before - level) - slope)
            #expect(bend <= 0.75 * 6 / (960 * 960) * 1.01)
            (before, slope) = (level, before - level)
        }
        #expect(gain.constant(0, 1000) == nil)
        #expect(gain.settled == 1960)
        #expect(gain.constant(1960, 48_000) == 0.25)
    }

    @Test("a wish in the midst of a ramp begins where that ramp has come to", arguments: 1...20 as ClosedRange<UInt64>)
    func interrupted(seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        var gain = GainEnvelope(level: 0.5)
        var at: Int64 = 0
        var levels: [Double] = []
        for _ in 0..<200 {
            gain.aim(.random(in: 0...1, using: &chance), at: at, over: 480)
            let next = at + .random(in: 1...700, using: &chance)
            while at < next {
                levels.append(gain.level(at))
                at += 1
            }
        }
        for (before, after) in zip(levels, levels.dropFirst()) { #expect(abs(after - before) <= 1.5 / 480 * 1.001) }
    }

    @Test("frames that were given back are as loud when they are written again, up to a new ramp")
    func rewritten() {
        var gain = GainEnvelope(level: 1)
        for step in 0..<10 { gain.aim(Double(step) / 10, at: Int64(step) * 300, over: 960) }
        let before = (0..<3000).map { gain.level(Int64($0)) }
        var after = gain
        after.aim(0, at: 2000, over: 480)
        for frame in 0..<2000 { #expect(after.level(Int64(frame)) == before[frame]) }
        #expect(after.level(2480) == 0)
        #expect(after.target == 0)
    }

    @Test("a stream begins at its level, or rises to it")
    func begin() {
        var gain = GainEnvelope()
        gain.begin(0.7)
        #expect(gain.constant(0, 1) == 0.7)
        gain.begin(0.7, fade: 480)
        #expect(gain.level(0) > 0 && gain.level(0) < 0.0001)
        #expect(gain.level(480) == 0.7)
        #expect(gain.constant(480, 1) == 0.7)
    }

    /// Samples of a source at the high end of 32 bits, with its own bits only.
    private static func samples(_ source: SourceFormat, _ chance: inout SplitMix64) -> [Int32] {
        let edges: [Int32] = [.min, .min + 256, -65_536, -1, 0, 1, 65_536, .max - 255, .max]
        let mask = Int32(truncatingIfNeeded: -(Int64(1) << Int64(32 - source.bits)))
        return (edges + (0..<500).map { _ in Int32.random(in: .min ... .max, using: &chance) }).map { $0 & mask }
    }

    /// What a target sample is worth, in 2⁻³¹.
    private static func value(_ target: SampleFormat, _ bytes: UnsafeRawPointer, _ index: Int) -> Double {
        switch target {
        case .s16: Double(bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self)) * 65_536
        case .s32: Double(bytes.loadUnaligned(fromByteOffset: 4 * index, as: Int32.self))
        case .s24: Double(bytes.loadUnaligned(fromByteOffset: 4 * index, as: Int32.self)) * 256
        case .s24Packed:
            Double(
                (0..<3).reduce(Int32(0)) { sum, byte in
                    let part = UInt32(bytes.load(fromByteOffset: 3 * index + byte, as: UInt8.self))
                    return sum | Int32(bitPattern: part << UInt32(8 * byte + 8))
                })
        case .float: Double(bytes.loadUnaligned(fromByteOffset: 4 * index, as: Float.self)) * 2_147_483_648
        }
    }

    static let sources: [SourceFormat] = [.s16, .s24, .s32, .float]

    @Test(
        "A-15: every source into every target: at level 1 no bit is lost that fits, else half a step at most",
        arguments: sources, SampleFormat.allCases)
    func conversion(source: SourceFormat, target: SampleFormat) {
        var chance = SplitMix64(seed: 15)
        let values = Self.samples(source == .float ? .s24 : source, &chance)
        let input = UnsafeMutableRawPointer.allocate(byteCount: values.count * 4, alignment: 16)
        let output = UnsafeMutableRawPointer.allocate(byteCount: values.count * 4, alignment: 16)
        defer {
            input.deallocate()
            output.deallocate()
        }
        for (index, value) in values.enumerated() {
            switch source {
            case .s16: input.storeBytes(of: Int16(value >> 16), toByteOffset: 2 * index, as: Int16.self)
            case .s24, .s32: input.storeBytes(of: value, toByteOffset: 4 * index, as: Int32.self)
            case .float:
                input.storeBytes(of: Float(Double(value) / 2_147_483_648), toByteOffset: 4 * index, as: Float.self)
            }
        }
        let step = Double(Int64(1) << Int64(32 - target.bits))
        for level in [1, 0.999, 0.5, 0.2, 0] {
            SampleConversion(source: source, target: target, channels: 1)
                .run(input, output, frames: values.count, GainEnvelope(level: level), at: 0)
            for (index, value) in values.enumerated() {
                let wanted = Double(value) * level
                let most = 2_147_483_648 - step
                let error = abs(Self.value(target, output, index) - min(wanted, target == .float ? wanted : most))
                if level == 1, target.bits >= source.bits {
                    #expect(error == 0)
                } else {
                    // Floats round at their own 24 bits, twice where the level is not 1.
                    #expect(error <= (target == .float ? 2 * step : step / 2), "\(value) × \(level)")
                }
            }
        }
    }

    @Test("silence stays silence at every level", arguments: sources)
    func silence(source: SourceFormat) {
        let bytes = [UInt8](repeating: 0, count: 4 * 100)
        for target in SampleFormat.allCases {
            for level in [0, 0.3, 1] {
                var output = [UInt8](repeating: 1, count: 4 * 100)
                bytes.withUnsafeBytes { from in
                    output.withUnsafeMutableBytes { to in
                        guard let from = from.baseAddress, let to = to.baseAddress else { return }
                        SampleConversion(source: source, target: target, channels: 2)
                            .run(from, to, frames: 50, GainEnvelope(level: level), at: 0)
                    }
                }
                #expect(output[..<(100 * target.bytes)].allSatisfy { $0 == 0 })
            }
        }
    }
}
