internal import Onstage
internal import OnstageCore

/// What `onstage bench camera` has measured.
struct BenchCameraResult {
    var device: ResolvedDevice?
    var format: [(name: String, value: FormatValue)]
    var place: SinkPlace
    /// Of each acquire.
    var frames: [FrameMeter.Measured]
    var cycles: [BenchCameraSession.Cycle]
    /// As the camera counted them, from its opening to its release.
    var dropped: UInt64
    var bad: UInt64
    /// Mended within an acquire.
    var faults: Int

    var text: String {
        var text = "\(device?.identity ?? "no camera")\n"
        text += "  " + format.map { "\($0.name) \(Self.text($0.value))" }.joined(separator: ", ") + "\n"
        let count = frames.reduce(0) { $0 + $1.count }
        text += "frames       \(count)"
        if let rate = frames.last?.rate { text += ", \(FixedPoint.text(rate, 2)) a second" }
        text += ", to a sink that is \(place.rawValue)\n"
        text += "lost         \(frames.reduce(0) { $0 + $1.lost }) by the camera, "
        text += "\(frames.reduce(0) { $0 + $1.missed }) by the sink; \(bad) bad; \(faults) mended faults\n"
        if let interval = frames.last?.interval {
            text += "interval     mean \(ms(interval.mean)), jitter \(ms(interval.deviation)), "
            text += "longest \(ms(interval.max))\n"
        }
        if let latency = frames.last?.latency {
            text += "latency      median \(ms(latency.median)), p99 \(ms(latency.p99)), longest \(ms(latency.max))\n"
        }
        if let first = cycles.first { text += "cold         \(line(first))\n" }
        if cycles.count > 1 { text += "warm median  \(line(warm))\n" }
        return text
    }

    /// Medians of all acquires but the first.
    private var warm: BenchCameraSession.Cycle {
        func median(_ value: (BenchCameraSession.Cycle) -> Double?) -> Double? {
            let sorted = cycles.dropFirst().compactMap(value).sorted()
            return sorted.isEmpty ? nil : sorted[sorted.count / 2]
        }
        return BenchCameraSession.Cycle(
            open: median(\.open), first: median(\.first), release: median(\.release))
    }

    private func line(_ cycle: BenchCameraSession.Cycle) -> String {
        "started \(ms(cycle.open)), first frame \(ms(cycle.first)), released in \(ms(cycle.release))"
    }

    private func ms(_ value: Double?) -> String { value.map { FixedPoint.text($0, 3) + " ms" } ?? "-" }

    private static func text(_ value: FormatValue) -> String {
        switch value {
        case .integer(let number): String(number)
        case .number(let number): CameraText.rate(number)
        case .text(let text): text
        case .flag(let flag): flag ? "yes" : "no"
        }
    }

    var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("version", 1), .init("device", device.map { .text($0.identity) } ?? .null),
            .init("node", device.map { .text($0.node) } ?? .null),
            .init("format", .object(format.map { .init($0.name, $0.value.json) })),
            .init("sink", .text(place.rawValue)),
            .init("frames", .integer(Int64(frames.reduce(0) { $0 + $1.count }))),
            .init("fps", number(frames.last?.rate)), .init("seconds", number(frames.last?.seconds)),
            .init("lost", .integer(Int64(frames.reduce(0) { $0 + $1.lost }))),
            .init("missed", .integer(Int64(frames.reduce(0) { $0 + $1.missed }))),
            .init("dropped", .integer(Int64(clamping: dropped))), .init("bad", .integer(Int64(clamping: bad))),
            .init("faults", .integer(Int64(faults))),
            .init("intervalMilliseconds", json(frames.last?.interval)),
            .init("latencyMilliseconds", json(frames.last?.latency)),
        ]
        members += Self.members(cycles.first ?? BenchCameraSession.Cycle())
        if cycles.count > 1 {
            members.append(.init("cycles", .list(cycles.map { .object(Self.members($0)) })))
        }
        return .object(members)
    }

    private static func members(_ cycle: BenchCameraSession.Cycle) -> [JSONValue.Member] {
        [
            .init("openMilliseconds", cycle.open.map(JSONValue.number) ?? .null),
            .init("firstFrameMilliseconds", cycle.first.map(JSONValue.number) ?? .null),
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
