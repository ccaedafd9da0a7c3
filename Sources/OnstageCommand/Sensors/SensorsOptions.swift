internal import OnstageCore

/// What a command line of `onstage sensors` says.
struct SensorsOptions: CommandOptions, Sendable {
    /// What is shown of the samples.
    enum Form: Hashable, Sendable {
        /// A line a sample, for people.
        case lines
        /// As `onstage bench imu --motion` plays it again.
        case csv
        /// A line a sample, for programs.
        case json
    }

    /// Empty for all of the machine.
    var sensors: [SensorWord] = []
    /// Hz.
    var rate = 50.0
    /// Nil for until a signal.
    var duration: Duration?
    /// Nil for a live view on a terminal, and lines elsewhere.
    var form: Form?
    /// Where a drawing of what was read goes.
    var plot: String?
    var isCheck = false
    var wantsHelp = false

    static let table = OptionTable(
        program: "onstage sensors", forms: ["[OPTION]… [SENSOR]…", "--check [OPTION]… [SENSOR]…"],
        summary: "Shows what motion sensors feel: live on a terminal, a line a sample elsewhere.",
        options: [
            .init("rate", short: "r", value: "HZ", "the nearest that is not lower, 0.01…100000; 50"),
            .init("duration", short: "d", value: "SECONDS", "since the first sample; until a signal, of --check 10"),
            .init(
                "csv",
                "time, ax, ay, az, gx, gy, gz in s, m/s², rad/s: bench imu --motion plays it again;\n"
                    + "time, x, y, z of one sensor by itself"),
            .init("json", short: "j", "a line a sample, or what --check has found, for programs"),
            .init("plot", value: "FILE.svg", "draw what was read, at the end"),
            .init("check", "say of each: real rate, gaps, noise, gravity; let it lie still meanwhile"),
        ],
        notes: SensorWord.help + """

            Without any: all of the machine. With --csv the turning is told at the accelerometer's times, on a straight line
            between the gyroscope's two readings around them.

            Exit status: 0 read, and nothing is the matter, 1 a sensor failed or --check has found a fault, 2 wrong usage.
            """)

    /// - Throws: `UsageError`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let parsed = try ParsedOptions(arguments, Self.table)
        wantsHelp = parsed.has("help")
        if wantsHelp { return }
        rate = try parsed.hertz("rate") ?? rate
        isCheck = parsed.has("check")
        duration = try parsed.seconds("duration") ?? (isCheck ? .seconds(10) : nil)
        if duration == .zero { throw UsageError("--duration 0 reads nothing") }
        if parsed.has("csv") {
            if parsed.has("json") { throw UsageError("--csv and --json are two forms: which one?") }
            if isCheck { throw UsageError("--check has no --csv") }
            form = .csv
        } else if parsed.has("json") {
            form = .json
        }
        plot = parsed.value("plot")
        if let plot, !plot.lowercased().hasSuffix(".svg") { throw UsageError("--plot \(plot) does not end in .svg") }
        for operand in parsed.operands { sensors.append(try SensorWord(operand)) }
    }
}
