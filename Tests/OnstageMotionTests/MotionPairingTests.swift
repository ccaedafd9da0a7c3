import OnstageCore
import OnstageMotion
import OnstageTestSupport
import Testing

@Suite("tables and random walks: accelerometer and gyroscope by their times")
struct MotionPairingTests {
    private func sample(_ kind: MotionKind, at time: Int64, _ value: SIMD3<Double> = .zero) -> MotionSample {
        MotionSample(
            kind: kind, value: value, unmounted: value, raw: .zero, timestamp: MonotonicTime(nanoseconds: time),
            isMonotonic: true, isPolled: false, sequence: 0)
    }

    /// A turning that grows by the time: what is read between two samples on a straight line is exact.
    private func turn(_ time: Int64) -> SIMD3<Double> { SIMD3(1, -2, 0.5) * (Double(time) / 1e6) }

    @Test("whatever comes in batches of any length, each acceleration is in one pair, in order", arguments: 1...20)
    func walk(seed: Int) {
        var chance = SplitMix64(seed: UInt64(seed))
        var pairing = MotionPairing()
        var pairs: [MotionPair] = []
        var (told, next): ([Int64], [MotionKind: Int64]) = ([], [.accelerometer: 0, .gyroscope: 0])
        for _ in 0..<200 {
            let kind = Bool.random(using: &chance) ? MotionKind.accelerometer : .gyroscope
            for _ in 0..<Int.random(in: 1...12, using: &chance) {
                let time = (next[kind] ?? 0) + Int64.random(in: 1...20_000_000, using: &chance)
                next[kind] = time
                if kind == .accelerometer { told.append(time) }
                pairs += pairing.take(
                    sample(kind, at: time, kind == .gyroscope ? turn(time) : SIMD3(Double(time), 0, 0)))
            }
        }
        pairs += pairing.finish()
        #expect(pairs.map(\.timestamp.nanoseconds) == told)
        #expect(pairs.allSatisfy { $0.acceleration.x == Double($0.timestamp.nanoseconds) })
    }

    @Test("between two readings it is on a straight line; beyond the last it is the last")
    func interpolated() {
        var pairing = MotionPairing()
        #expect(pairing.take(sample(.accelerometer, at: 5)).isEmpty)
        #expect(pairing.take(sample(.gyroscope, at: 0, SIMD3(0, 0, 0))).isEmpty)
        #expect(pairing.take(sample(.gyroscope, at: 10, SIMD3(10, 20, -10))).first?.rotation == SIMD3(5, 10, -5))
        #expect(pairing.take(sample(.accelerometer, at: 10)).first?.rotation == SIMD3(10, 20, -10))
        #expect(pairing.take(sample(.accelerometer, at: 14)).isEmpty)
        #expect(pairing.finish().first?.rotation == SIMD3(10, 20, -10))
        #expect(pairing.finish().isEmpty)
    }

    @Test("before the first reading it is the first")
    func before() {
        var pairing = MotionPairing()
        #expect(pairing.take(sample(.accelerometer, at: 5)).isEmpty)
        #expect(pairing.take(sample(.gyroscope, at: 8, SIMD3(1, 2, 3))).first?.rotation == SIMD3(1, 2, 3))
    }

    @Test("a gyroscope that falls silent holds nothing up longer than the patience")
    func silent() {
        var pairing = MotionPairing(patience: .milliseconds(100))
        _ = pairing.take(sample(.gyroscope, at: 0, SIMD3(1, 0, 0)))
        var count = 0
        for milliseconds in 1...300 {
            count += pairing.take(sample(.accelerometer, at: Int64(milliseconds) * 1_000_000)).count
        }
        #expect(count == 199)
    }

    @Test("a time that does not go on is left out")
    func backwards() {
        var pairing = MotionPairing()
        for time: Int64 in [5, 5, 3, 6] { #expect(pairing.take(sample(.accelerometer, at: time)).isEmpty) }
        #expect(pairing.finish().map(\.timestamp.nanoseconds) == [5, 6])
    }
}
