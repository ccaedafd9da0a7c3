internal import Onstage
internal import OnstageMotion

/// What a command line of `onstage bench motion` says.
struct BenchMotionOptions: CommandOptions, Sendable {
    /// How samples are handed over.
    enum Sink: String {
        case inline, queued
        /// Those that came together in one call.
        case together
    }

    var sensor = SensorWord.pick(SensorPick(kind: .accelerometer))
    /// Of each acquire.
    var samples = 1_000
    /// Acquires, one after the other.
    var cycles = 1
    /// Nil for as fast as the sensor can.
    var rate: Double?
    /// Samples that may come together; 1 for each at once.
    var batch = 1
    var sink = Sink.inline
    /// The form of samples to decode, in place of a sensor.
    var form: String?
    var isJSON = false
    var wantsHelp = false

    static let table = OptionTable(
        program: "onstage bench motion", forms: ["[OPTION]… SENSOR", "--decode FORM"],
        summary: "Reads samples as an app would and says rate, latency, what was lost, and how long it took.",
        options: [
            .init("samples", short: "n", value: "N", "samples to read, 1…1000000000; 1000"),
            .init("rate", value: "HZ", "the nearest that is not lower; as fast as the sensor can"),
            .init("batch", value: "K", "have them K at a time, 1…30000: one wake-up for each batch; 1. Needs --rate"),
            .init(
                "sink", value: "HOW",
                "inline: on the device's thread; queued: on one of its own; together: a batch in one call; inline"),
            .init("cycles", value: "N", "acquire and release so many times, 1…100000, with N samples each; 1"),
            .init(
                "decode", value: "FORM",
                "no sensor: what a sample costs that lies so in memory (le:s32/32>>0, le:s12/16>>4 …)"),
            .init("json", short: "j", "for programs"),
        ],
        notes: SensorWord.help + """

            Latency: from a sample's time stamp to the sink's call (together: the oldest's). Lost: by the numbers of `bench imu --counter`, where x
            counts; gaps by the time stamps.

            Exit status: 0 measured, 1 the sensor failed or is in use, 2 wrong usage.
            """)

    /// How late samples may be handed on.
    var maxLatency: Duration {
        guard batch > 1, let rate else { return .zero }
        return .seconds(Double(batch) / rate)
    }

    /// - Throws: `UsageError`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let parsed = try ParsedOptions(arguments, Self.table)
        wantsHelp = parsed.has("help")
        if wantsHelp { return }
        form = parsed.value("decode")
        if form != nil {
            guard parsed.operands.isEmpty else { throw UsageError("--decode needs no SENSOR") }
            return
        }
        let device = try parsed.operand("SENSOR", "sensor")
        samples = try parsed.integer("samples", in: 1...1_000_000_000) ?? samples
        cycles = try parsed.integer("cycles", in: 1...100_000) ?? cycles
        batch = try parsed.integer("batch", in: 1...30_000) ?? batch
        rate = try parsed.hertz("rate")
        if batch > 1 && rate == nil { throw UsageError("--batch needs --rate: it is a time that is waited for") }
        if let text = parsed.value("sink") {
            guard let sink = Sink(rawValue: text) else {
                throw UsageError("--sink \(text) is none of inline, queued and together")
            }
            self.sink = sink
        }
        isJSON = parsed.has("json")
        sensor = try SensorWord(device)
    }
}
