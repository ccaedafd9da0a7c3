internal import Onstage
internal import OnstageCore
internal import OnstageLinux
internal import OnstageMotion

/// What motion sensors feel, live on a terminal: four lines a sensor, written over themselves.
struct SensorView {
    private static let axes = ["x", "y", "z"]

    private struct Sensor {
        let kind: MotionKind
        var lines: [Sparkline]
        var last: MotionSample?
        /// The sum and the number of those since the last block.
        var sum = SIMD3<Double>.zero
        var count = 0
        var blockEnd: MonotonicTime?
        /// Time stamps of those that the rate is measured by: the oldest of this second, and the number since.
        var since: MonotonicTime?
        var counted = 0
        var rate: Double?

        init(_ kind: MotionKind) {
            self.kind = kind
            // What a phone on a table shows lies flat.
            let line = Sparkline(width: 240, span: kind == .accelerometer ? 0.5 : 0.1)
            lines = [line, line, line]
        }

        mutating func take(_ sample: MotionSample) {
            last = sample
            sum += sample.value
            count += 1
            counted += 1
            let start = since ?? sample.timestamp
            since = start
            let elapsed = FixedPoint.seconds(sample.timestamp - start)
            if elapsed >= 1 {
                rate = Double(counted - 1) / elapsed
                (since, counted) = (sample.timestamp, 1)
            }
            let end = blockEnd ?? sample.timestamp + SensorView.block
            blockEnd = end
            guard sample.timestamp >= end else { return }
            let mean = sum / Double(count)
            for axis in 0..<3 { lines[axis].add(mean[axis]) }
            (sum, count, blockEnd) = (.zero, 0, sample.timestamp + SensorView.block)
        }
    }

    /// What a block of a sparkline stands for.
    private static let block = Duration.milliseconds(100)

    private var sensors: [Sensor]
    /// Lines that stand above the cursor.
    private var standing = 0

    init(_ kinds: [MotionKind]) {
        sensors = kinds.map { Sensor($0) }
    }

    mutating func take(_ sample: MotionSample, of sensor: Int) {
        sensors[sensor].take(sample)
    }

    /// Writes it over what stands. A terminal that takes nothing (Ctrl-S) misses a picture; a job in the background shows none.
    mutating func show(_ names: [String]) {
        guard Terminal.isForeground(1), Terminal.takesOutput(1) else { return }
        let lines = lines(names, columns: (Terminal.columns(1) ?? 80) - 1)
        var text = standing > 0 ? "\u{1B}[\(standing)A" : ""
        for line in lines { text += "\r\u{1B}[K\(line)\n" }
        standing = lines.count
        Output.out(text)
    }

    /// The lines for a terminal that is so wide.
    func lines(_ names: [String], columns: Int) -> [String] {
        var lines: [String] = []
        for (sensor, name) in zip(sensors, names) {
            let rate = sensor.rate.map { FixedPoint.text($0, 1) + " Hz" } ?? ""
            lines.append(String("\(sensor.kind.rawValue)  \(name)  \(rate)".prefix(columns)))
            for axis in 0..<3 {
                let value = sensor.last.map { FixedPoint.text($0.value[axis], 3) } ?? "-"
                let head = "  \(Self.axes[axis]) \(value.leftPadded(to: 9)) \(sensor.kind.unit)  "
                lines.append(String((head + sensor.lines[axis].text(columns - head.count)).prefix(columns)))
            }
        }
        return lines
    }
}
