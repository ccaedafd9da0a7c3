internal import Onstage
internal import OnstageCore

/// What `onstage bench motion` has measured.
struct BenchMotionResult {
    /// Of one acquire.
    struct Samples {
        var count: Int
        var seconds: Double
        var rate: Double?
        /// Nil where the samples do not count themselves.
        var lost: Int?
        var missed: Int
        var latency: TimeDistribution.Spread?

        init(_ meter: SampleMeter) {
            count = meter.count
            seconds = FixedPoint.seconds(meter.last - meter.first)
            (rate, lost, missed) = (meter.rate, meter.lost, meter.missed)
            latency = meter.latency
        }
    }

    var device: ResolvedDevice?
    var format: [(name: String, value: FormatValue)]
    var sink: BenchMotionOptions.Sink
    var batch: Int
    var samples: [Samples]
    var cycles: [BenchMotionSession.Cycle]
    /// As the resource counted them, from the first acquire on.
    var dropped: UInt64
    var bad: UInt64
    /// Mended within an acquire.
    var faults: Int

    private var count: Int { samples.reduce(0) { $0 + $1.count } }
    private var missed: Int { samples.reduce(0) { $0 + $1.missed } }
    /// Nil where the samples of one acquire did not count themselves.
    private var lost: Int? {
        samples.isEmpty
            ? nil : samples.reduce(0) { sum, samples in sum.flatMap { sum in samples.lost.map { sum + $0 } } }
    }

    var text: String {
        var text = "\(device?.identity ?? "no sensor")\n"
        text += "  " + format.map { "\($0.name) \(Self.text($0.value))" }.joined(separator: ", ") + "\n"
        text += "samples      \(count)"
        if let rate = samples.last?.rate { text += ", \(FixedPoint.text(rate, 2)) a second" }
        text += batch > 1 ? ", \(batch) at a time" : ", each at once"
        text += ", \(sink == .together ? "handed over" : "to a sink that is") \(sink.rawValue)\n"
        text += "lost         \(lost.map { "\($0) by the sensor's own count" } ?? "unknown: x does not count"), "
        text += "\(missed) by the sink; \(bad) bad; \(faults) mended faults\n"
        if let latency = samples.last?.latency {
            text += "latency      median \(ms(latency.median)), p99 \(ms(latency.p99)), longest \(ms(latency.max))\n"
        }
        if let first = cycles.first { text += "cold         \(line(first))\n" }
        if cycles.count > 1 { text += "warm median  \(line(warm))\n" }
        return text
    }

    /// Medians of all acquires but the first.
    private var warm: BenchMotionSession.Cycle {
        func median(_ value: (BenchMotionSession.Cycle) -> Double?) -> Double? {
            let sorted = cycles.dropFirst().compactMap(value).sorted()
            return sorted.isEmpty ? nil : sorted[sorted.count / 2]
        }
        return BenchMotionSession.Cycle(open: median(\.open), first: median(\.first), release: median(\.release))
    }

    private func line(_ cycle: BenchMotionSession.Cycle) -> String {
        "started \(ms(cycle.open)), first sample \(ms(cycle.first)), released in \(ms(cycle.release))"
    }

    private func ms(_ value: Double?) -> String { value.map { FixedPoint.text($0, 3) + " ms" } ?? "-" }

    private static func text(_ value: FormatValue) -> String {
        switch value {
        case .integer(let number): String(number)
        case .number(let number): FixedPoint.text(number, 6)
        case .text(let text): text
        case .flag(let flag): flag ? "yes" : "no"
        }
    }

    var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("version", 1), .init("device", device.map { .text($0.identity) } ?? .null),
            .init("node", device.map { .text($0.node) } ?? .null),
            .init("format", .object(format.map { .init($0.name, $0.value.json) })),
            .init("sink", .text(sink.rawValue)), .init("batch", .integer(Int64(batch))),
            .init("samples", .integer(Int64(count))), .init("rate", number(samples.last?.rate)),
            .init("seconds", number(samples.last?.seconds)),
            .init("lost", lost.map { .integer(Int64($0)) } ?? .null), .init("missed", .integer(Int64(missed))),
            .init("dropped", .integer(Int64(clamping: dropped))), .init("bad", .integer(Int64(clamping: bad))),
            .init("faults", .integer(Int64(faults))), .init("latencyMilliseconds", json(samples.last?.latency)),
        ]
        members += Self.members(cycles.first ?? BenchMotionSession.Cycle())
        if cycles.count > 1 { members.append(.init("cycles", .list(cycles.map { .object(Self.members($0)) }))) }
        return .object(members)
    }

    private static func members(_ cycle: BenchMotionSession.Cycle) -> [JSONValue.Member] {
        [
            .init("openMilliseconds", cycle.open.map(JSONValue.number) ?? .null),
            .init("firstSampleMilliseconds", cycle.first.map(JSONValue.number) ?? .null),
            .init("releaseMilliseconds", cycle.release.map(JSONValue.number) ?? .null),
        ]
    }

    private func number(_ value: Double?) -> JSONValue { value.map(JSONValue.number) ?? .null }

    private func json(_ spread: TimeDistribution.Spread?) -> JSONValue {
        guard let spread else { return .null }
        return [
            "median": .number(spread.median), "mean": .number(spread.mean), "deviation": .number(spread.deviation),
            "p99": .number(spread.p99), "max": .number(spread.max),
        ]
    }
}
