internal import Onstage
internal import OnstageCore

/// One acquire of a bench, in milliseconds.
struct BenchCycle {
    /// From the wish to the device being started.
    var open: Double?
    /// From the wish to the first frame or sample in the sink.
    var first: Double?
    /// From the pause to the kernel having everything back.
    var release: Double?
}

/// What a ``BenchSession`` has come to.
struct BenchOutcome<Measured> {
    var device: ResolvedDevice?
    var format: [(name: String, value: FormatValue)] = []
    /// Of each acquire in which there was something.
    var measured: [Measured] = []
    var cycles: [BenchCycle] = []
    /// As the resource counted, from its first acquire on.
    var counts = DriverCounts()
    /// What the sink missed of all acquires, or was lost before it, up to the last that was measured.
    var dropped: UInt64 = 0
    /// Mended within an acquire.
    var faults = 0

    /// Medians of all acquires but the first.
    private var warm: BenchCycle {
        func median(_ value: (BenchCycle) -> Double?) -> Double? {
            let sorted = cycles.dropFirst().compactMap(value).sorted()
            return sorted.isEmpty ? nil : sorted[sorted.count / 2]
        }
        return BenchCycle(open: median(\.open), first: median(\.first), release: median(\.release))
    }

    // MARK: For people

    /// Which device, and how it is set.
    ///
    /// - Parameter number: how a number of its format is told.
    func head(_ name: String, _ number: (Double) -> String) -> String {
        let entries = format.map { "\($0.name) \($0.value.text(number))" }
        return "\(device?.identity ?? "no \(name)")\n  " + entries.joined(separator: ", ") + "\n"
    }

    /// What came with the losses: "3 bad; 1 mended faults".
    var troubles: String { "\(counts.bad) bad; \(faults) mended faults" }

    /// How long acquires and releases took, `first` being what is handed over.
    func times(_ first: String) -> String {
        func line(_ cycle: BenchCycle) -> String {
            "started \(ms(cycle.open)), first \(first) \(ms(cycle.first)), released in \(ms(cycle.release))"
        }
        var text = cycles.first.map { "cold         \(line($0))\n" } ?? ""
        if cycles.count > 1 { text += "warm median  \(line(warm))\n" }
        return text
    }

    func latency(_ spread: TimeDistribution.Spread?) -> String {
        spread.map { "latency      median \(ms($0.median)), p99 \(ms($0.p99)), longest \(ms($0.max))\n" } ?? ""
    }

    func ms(_ value: Double?) -> String { value.map { FixedPoint.text($0, 3) + " ms" } ?? "-" }

    // MARK: For programs

    /// The members of every bench, around its own `members`, `first` being the name of the time to the first.
    func json(_ members: [JSONValue.Member], first: String) -> JSONValue {
        var all: [JSONValue.Member] = [
            .init("version", 1), .init("device", device.map { .text($0.identity) } ?? .null),
            .init("node", device.map { .text($0.node) } ?? .null),
            .init("format", .object(format.map { .init($0.name, $0.value.json) })),
        ]
        all += members + times(cycles.first ?? BenchCycle(), first)
        if cycles.count > 1 { all.append(.init("cycles", .list(cycles.map { .object(times($0, first)) }))) }
        return .object(all)
    }

    /// "dropped", "bad" and "faults".
    var losses: [JSONValue.Member] {
        [
            .init("dropped", .integer(Int64(clamping: dropped))),
            .init("bad", .integer(Int64(clamping: counts.bad))), .init("faults", .integer(Int64(faults))),
        ]
    }

    private func times(_ cycle: BenchCycle, _ first: String) -> [JSONValue.Member] {
        [
            .init("openMilliseconds", .number(or: cycle.open)), .init(first, .number(or: cycle.first)),
            .init("releaseMilliseconds", .number(or: cycle.release)),
        ]
    }
}

extension TimeDistribution.Spread {
    var json: JSONValue {
        [
            "median": .number(median), "mean": .number(mean), "deviation": .number(deviation), "p99": .number(p99),
            "max": .number(max),
        ]
    }
}
