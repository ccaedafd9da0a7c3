internal import Onstage
internal import OnstageCore
internal import OnstageMotion

/// What is looked at in the samples of one sensor on a bench. Constant memory, however long it goes.
struct SensorCheck {
    private let kind: MotionKind
    private var count = 0
    private var first: MotionSample?
    private var last: MotionSample?
    /// Means, and sums of squared distances from them (Welford's way: nothing is lost by a large mean).
    private var mean = SIMD3<Double>.zero
    private var squares = SIMD3<Double>.zero
    /// Of the steps from one sample's time to the next, in seconds.
    private var stepMean = 0.0
    private var stepSquares = 0.0
    private var longestStep = 0.0
    /// In seconds: what a gap is, is known at the end only.
    private var steps: [Double] = []
    private var backwards = 0
    /// Samples like the one before.
    private var same = 0

    /// The steps that are kept to be counted: an hour at 100 Hz.
    private static let limit = 360_000

    init(_ kind: MotionKind) {
        self.kind = kind
    }

    mutating func take(_ sample: MotionSample) {
        count += 1
        if let last {
            let step = FixedPoint.seconds(sample.timestamp - last.timestamp)
            if step <= 0 { backwards += 1 }
            let away = step - stepMean
            stepMean += away / Double(count - 1)
            stepSquares += away * (step - stepMean)
            longestStep = max(longestStep, step)
            if steps.count < Self.limit { steps.append(step) }
            if sample.raw == last.raw { same += 1 }
        } else {
            first = sample
        }
        let away = sample.value - mean
        mean += away / Double(count)
        squares += away * (sample.value - mean)
        last = sample
    }

    /// What it has come to.
    ///
    /// - Parameters:
    ///   - name: of the sensor.
    ///   - rate: what is set on the device, in Hz; nil where it does not say.
    func finding(_ name: String, rate: Double?) -> Finding {
        var finding = Finding(name: name, kind: kind, count: count, rate: rate)
        guard let first, let last, count > 1 else {
            finding.faults.append(count == 0 ? "no sample has come" : "one sample has come, and no more")
            return finding
        }
        let elapsed = FixedPoint.seconds(last.timestamp - first.timestamp)
        if elapsed > 0 { finding.measured = Double(count - 1) / elapsed }
        finding.jitter = (stepSquares / Double(count - 1)).squareRoot()
        finding.longestStep = longestStep
        finding.mean = mean
        finding.noise = (squares / Double(count - 1)).squareRoot()
        // The median: gaps do not move it.
        let period = steps.sorted()[steps.count / 2]
        (finding.gaps, finding.missing) = Self.gaps(steps, period)
        judge(&finding, period: period)
        return finding
    }

    /// Long steps that the four after them do not make up for, and how many samples would have stood there: one that was only late
    /// is followed by a short step.
    private static func gaps(_ steps: [Double], _ period: Double) -> (gaps: Int, missing: Int) {
        guard period > 0 else { return (0, 0) }
        var (gaps, missing, index) = (0, 0, 0)
        while index < steps.count {
            let near = steps[index..<min(index + 5, steps.count)]
            let left = Int((near.reduce(0, +) / period).rounded()) - near.count
            if steps[index] > 1.5 * period, left > 0 {
                gaps += 1
                missing += left
                index = near.endIndex
            } else {
                index += 1
            }
        }
        return (gaps, missing)
    }

    private func judge(_ finding: inout Finding, period: Double) {
        if finding.gaps > 0 {
            finding.faults.append("\(finding.missing) samples are missing, in \(finding.gaps) gaps")
        }
        if backwards > 0 {
            finding.faults.append("\(backwards) samples have a time that is not later than the one before")
        }
        if let rate = finding.rate, period > 0, abs(1 / period - rate) > 0.1 * rate {
            finding.faults.append(
                "it runs at \(FixedPoint.text(1 / period, 2)) Hz and not at the \(FixedPoint.text(rate, 2)) Hz that are set"
            )
        }
        let length = Self.length(mean)
        switch kind {
        case .accelerometer where Self.length(finding.noise) > 1:
            finding.remarks.append("it moved: gravity and noise are not judged")
        case .accelerometer:
            finding.gravity = length / VirtualMotion.gravity - 1
            if let off = finding.gravity, abs(off) > 0.03 {
                finding.faults.append(
                    "at rest it feels \(FixedPoint.text(length, 3)) m/s² and not gravity's \(FixedPoint.text(VirtualMotion.gravity, 3))"
                )
            }
        case .gyroscope where Self.length(finding.noise) > 0.2:
            finding.remarks.append("it moved: its zero and noise are not judged")
        case .gyroscope:
            if length > 0.1 {
                finding.remarks.append("it turns, or its zero is off by \(FixedPoint.text(length, 3)) rad/s")
            }
        }
        if count > 100, same == count - 1 {
            finding.remarks.append("every sample is the same: no noise at all")
        }
        if last?.isMonotonic == false { finding.remarks.append("its times are not the driver's on CLOCK_MONOTONIC") }
        if last?.isPolled == true { finding.remarks.append("it has no buffer: it is read sample by sample") }
    }

    private static func length(_ value: SIMD3<Double>) -> Double { (value * value).sum().squareRoot() }

    /// What was found of one sensor.
    struct Finding {
        var name: String
        var kind: MotionKind
        var count: Int
        /// Set on the device, in Hz.
        var rate: Double?
        /// By the samples' own times, in Hz.
        var measured: Double?
        /// The standard deviation of the steps from sample to sample, in seconds.
        var jitter = 0.0
        var longestStep = 0.0
        /// Places where samples are missing, and how many.
        var gaps = 0
        var missing = 0
        /// In m/s² or rad/s.
        var mean = SIMD3<Double>.zero
        /// Standard deviations.
        var noise = SIMD3<Double>.zero
        /// By how much of it gravity is off, at rest.
        var gravity: Double?
        /// What is the matter.
        var faults: [String] = []
        /// What is worth knowing.
        var remarks: [String] = []

        var text: String {
            var text = "\(kind.rawValue)  \(name)\n"
            if let measured {
                let set = rate.map { "\(FixedPoint.text($0, 2)) Hz set, " } ?? ""
                text += "  rate   \(set)\(FixedPoint.text(measured, 2)) Hz measured over \(count) samples, "
                text += "jitter \(ms(jitter)), longest step \(ms(longestStep))\n"
                text += "  mean   \(SensorLines.axes(mean, 4, "  ")) \(kind.unit)"
                if let gravity { text += ", gravity \(gravity < 0 ? "" : "+")\(FixedPoint.text(gravity * 100, 2)) %" }
                text += "\n  noise  \(SensorLines.axes(noise, 5, "  ")) \(kind.unit)\n"
            }
            for remark in remarks { text += "  note   \(remark)\n" }
            for fault in faults { text += "  FAULT  \(fault)\n" }
            return faults.isEmpty ? text + "  no fault found\n" : text
        }

        var json: JSONValue {
            [
                "sensor": .text(name), "kind": .text(kind.rawValue), "samples": .integer(Int64(count)),
                "rate": .number(or: rate), "measured": .number(or: measured),
                "jitterMilliseconds": .number(jitter * 1000), "longestStepMilliseconds": .number(longestStep * 1000),
                "gaps": .integer(Int64(gaps)), "missing": .integer(Int64(missing)), "mean": list(mean),
                "noise": list(noise), "gravityOff": .number(or: gravity), "faults": .list(faults.map { .text($0) }),
                "remarks": .list(remarks.map { .text($0) }),
            ]
        }

        private func ms(_ seconds: Double) -> String { FixedPoint.text(seconds * 1000, 2) + " ms" }
        private func list(_ value: SIMD3<Double>) -> JSONValue {
            .list(value.axes.map { .number($0) })
        }
    }
}
