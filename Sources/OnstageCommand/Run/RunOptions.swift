/// The command line of `onstage run`, read but not yet looked up.
struct RunOptions: CommandOptions, Hashable, Sendable {
    var profile: String?
    var media: String?
    var scenario: String?
    var report: String?
    var duration: Duration?
    var state: String?
    var isFresh = false
    var isSynthetic = false
    var isQuiet = false
    var isVerbose = false
    var wantsHelp = false

    static let table = OptionTable(
        program: "onstage run", forms: ["[OPTION]…"],
        summary:
            "Holds a camera, an accelerometer, a gyroscope and the sound card while on stage, and nothing when not.",
        options: [
            .init(
                "profile", short: "p", value: "NAME|FILE", "which devices and how (see onstage profile list); generic"),
            .init("media", short: "m", value: "FILE", "the sound to play; a built-in sound of a minute, looped"),
            .init(
                "scenario", short: "s", value: "FILE", "wishes at their times, one a line: SECONDS WISH [scene=NAME]"),
            .init("report", short: "r", value: "FILE", "write what happened there as JSON, at every kind of end"),
            .init("duration", short: "d", value: "SECONDS", "end after so long"),
            .init("state", value: "DIR", "where positions are kept; $STATE_DIRECTORY, else $XDG_STATE_HOME/onstage"),
            .init("fresh", "begin the sound at its first frame, whatever position is kept"),
            .init("synthetic", "make all devices up"),
            .init("quiet", short: "q", "say nothing but warnings and errors"),
            .init("verbose", short: "v", "say more, on standard error"),
        ],
        notes: """
            Wishes, in a scenario, on standard input (one a line) and by onstage ctl:
              active, inactive, background, suspended, play, pause, seek FRAMES,
              interrupt REASON [camera|motion|audio], interrupt-ended resume|stay, end
            Signals: SIGUSR1 inactive, SIGUSR2 active, SIGINT and SIGTERM end.
            Without a scenario the scene is active from the start.
            What a report tells is kept in memory until the end: some 1.4 KB for each return and pause.

            Exit status: 0 done, 1 something failed for good, 2 wrong usage, profile or scenario.
            """)

    /// - Throws: `UsageError`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let parsed = try ParsedOptions(arguments, Self.table)
        wantsHelp = parsed.has("help")
        if wantsHelp { return }
        if let operand = parsed.operands.first { throw UsageError("what is \"\(operand)\"? run takes options only") }
        for name in ["profile", "media", "scenario", "report", "state"] where parsed.value(name) == "" {
            throw UsageError("--\(name) needs a value")
        }
        profile = parsed.value("profile")
        media = parsed.value("media")
        scenario = parsed.value("scenario")
        report = parsed.value("report")
        state = parsed.value("state")
        duration = try parsed.seconds("duration")
        isFresh = parsed.has("fresh")
        isSynthetic = parsed.has("synthetic")
        isQuiet = parsed.has("quiet")
        isVerbose = parsed.has("verbose")
    }
}
