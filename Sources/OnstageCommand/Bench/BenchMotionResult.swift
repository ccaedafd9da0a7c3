internal import Onstage
internal import OnstageCore

/// What `onstage bench motion` has measured.
struct BenchMotionResult {
    var outcome: BenchOutcome<SampleMeter.Measured>
    var sink: BenchMotionOptions.Sink
    var batch: Int

    private var samples: [SampleMeter.Measured] { outcome.measured }
    private var count: Int { samples.reduce(0) { $0 + $1.count } }
    private var missed: Int { samples.reduce(0) { $0 + $1.missed } }
    /// Nil where the samples of one acquire did not count themselves.
    private var lost: Int? {
        samples.isEmpty
            ? nil : samples.reduce(0) { sum, samples in sum.flatMap { sum in samples.lost.map { sum + $0 } } }
    }

    var text: String {
        var text = outcome.head("sensor") { FixedPoint.text($0, 6) }
        text += "samples      \(count)"
        if let rate = samples.last?.rate { text += ", \(FixedPoint.text(rate, 2)) a second" }
        text += batch > 1 ? ", \(batch) at a time" : ", each at once"
        text += ", \(sink == .together ? "handed over" : "to a sink that is") \(sink.rawValue)\n"
        text += "lost         \(lost.map { "\($0) by the sensor's own count" } ?? "unknown: x does not count"), "
        text += "\(missed) by the sink; \(outcome.troubles)\n"
        return text + outcome.latency(samples.last?.latency) + outcome.times("sample")
    }

    var json: JSONValue {
        let members: [JSONValue.Member] = [
            .init("sink", .text(sink.rawValue)), .init("batch", .integer(Int64(batch))),
            .init("samples", .integer(Int64(count))), .init("rate", .number(or: samples.last?.rate)),
            .init("seconds", .number(or: samples.last?.seconds)),
            .init("lost", lost.map { .integer(Int64($0)) } ?? .null), .init("missed", .integer(Int64(missed))),
        ]
        let latency = JSONValue.Member("latencyMilliseconds", samples.last?.latency?.json ?? .null)
        return outcome.json(members + outcome.losses + [latency], first: "firstSampleMilliseconds")
    }
}
