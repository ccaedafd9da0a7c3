import OnstageCore
import OnstageMotion
import OnstageTestSupport
import Testing

@testable import OnstageCommand

@Suite("tables: what onstage sensors finds")
struct SensorCheckTests {
    /// Samples at 100 Hz, one for each of `values`; nil leaves one out.
    private func finding(
        _ kind: MotionKind, _ values: [SIMD3<Double>?], rate: Double? = 100, isMonotonic: Bool = true
    ) -> SensorCheck.Finding {
        var check = SensorCheck(kind)
        for (index, value) in values.enumerated() {
            guard let value else { continue }
            check.take(
                MotionSample(
                    kind: kind, value: value, unmounted: value, raw: SIMD3(Int64(value.x * 1e6), 0, 0),
                    timestamp: MonotonicTime(nanoseconds: Int64(index) * 10_000_000), isMonotonic: isMonotonic,
                    isPolled: false, sequence: UInt64(index)))
        }
        return check.finding("it", rate: rate)
    }

    private let still = SIMD3(0.1, 0, 9.81)

    @Test func nothingIsTheMatter() {
        var chance = SplitMix64(seed: 7)
        let values = (0..<500).map { _ in still + SIMD3(Double.random(in: -0.05...0.05, using: &chance), 0, 0) }
        let found = finding(.accelerometer, values)
        #expect(found.faults.isEmpty && found.remarks.isEmpty, "\(found)")
        #expect(found.count == 500 && abs((found.measured ?? 0) - 100) < 1e-6)
        // The deviation of an even spread of ±0.05.
        #expect(abs(found.noise.x - 0.05 / 3.0.squareRoot()) < 0.003 && found.noise.y == 0)
        #expect(abs(found.mean.x - 0.1) < 0.01)
        #expect(found.jitter < 1e-9 && abs(found.longestStep - 0.01) < 1e-9)
    }

    @Test("each fault is named, and nothing else")
    func faults() {
        let many = [SIMD3<Double>?](repeating: still, count: 100)
        #expect(finding(.accelerometer, []).faults == ["no sample has come"])
        #expect(finding(.accelerometer, [still]).faults == ["one sample has come, and no more"])
        var gappy = many
        for index in [20, 50, 51, 52] { gappy[index] = nil }
        let gaps = finding(.accelerometer, gappy)
        #expect(gaps.gaps == 2 && gaps.missing == 4)
        #expect(gaps.faults == ["4 samples are missing, in 2 gaps"])
        #expect(
            finding(.accelerometer, many, rate: 50).faults == [
                "it runs at 100.00 Hz and not at the 50.00 Hz that are set"
            ])
        // Some late by 0.7 periods, and all of them there.
        var check = SensorCheck(.accelerometer)
        for index in 0..<100 {
            check.take(
                MotionSample(
                    kind: .accelerometer, value: still, unmounted: still, raw: .zero,
                    timestamp: MonotonicTime(
                        nanoseconds: Int64(index) * 10_000_000 + (index % 10 == 5 ? 7_000_000 : 0)),
                    isMonotonic: true, isPolled: false, sequence: UInt64(index)))
        }
        let late = check.finding("it", rate: 100)
        #expect(late.gaps == 0 && late.faults.isEmpty && abs(late.longestStep - 0.017) < 1e-9)
        let heavy = finding(.accelerometer, many.map { _ in SIMD3(0, 0, 12) })
        #expect(heavy.faults == ["at rest it feels 12.000 m/s² and not gravity's 9.807"])
    }

    @Test("what moves is not judged for what it would feel at rest")
    func moved() {
        let shaken = (0..<100).map { SIMD3<Double>?(SIMD3($0 % 2 == 0 ? 20 : -20, 0, 9.81)) }
        let found = finding(.accelerometer, shaken)
        #expect(found.faults.isEmpty && found.gravity == nil)
        #expect(found.remarks == ["it moved: gravity and noise are not judged"])
        #expect(
            finding(.gyroscope, [SIMD3<Double>?](repeating: SIMD3(0, 0.5, 0), count: 50)).remarks == [
                "it turns, or its zero is off by 0.500 rad/s"
            ])
    }

    @Test("a value that stands, and times of another clock, are worth a word")
    func remarks() {
        let found = finding(.accelerometer, [SIMD3<Double>?](repeating: still, count: 200), isMonotonic: false)
        #expect(
            found.remarks == [
                "every sample is the same: no noise at all", "its times are not the driver's on CLOCK_MONOTONIC",
            ])
    }

    @Test(
        "the blocks of a sparkline",
        arguments: [
            ([0, 1, 2, 3, 4, 5, 6, 7], 0.1, "▁▂▃▄▅▆▇█"), ([9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 8], 0.1, "▁▁▁▁▁▁▁█"),
            ([5, 5.01, 5], 0.5, "▄▅▄"), ([1], 1, "▅"), ([.nan, 1, .infinity], 1, "▅"), ([], 1, ""),
        ] as [([Double], Double, String)])
    func sparkline(values: [Double], span: Double, text: String) {
        var line = Sparkline(width: 8, span: span)
        for value in values { line.add(value) }
        #expect(line.text(80) == text)
        #expect(line.text(0).isEmpty)
    }
}
