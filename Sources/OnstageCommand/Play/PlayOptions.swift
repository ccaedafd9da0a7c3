internal import Onstage
internal import OnstageCore

/// The command line of `onstage play`, read but not yet looked up.
struct PlayOptions: Hashable, Sendable {
    var files: [String] = []
    var device: String?
    var recording: String?
    var from: MediaTime?
    var isResumed = false
    var isLooped = false
    var volume = 1.0
    var key: String?
    var state: String?
    var pauseMode: PauseMode?
    var buffer: Duration?
    var waits = false
    var wantsInfo = false
    var isJSON = false
    var isQuiet = false
    var isVerbose = false
    var wantsHelp = false

    static let table = OptionTable(
        program: "onstage play", forms: ["[OPTION]… FILE", "--info [--json] FILE…"],
        summary:
            "Plays a sound, exactly: after each pause, with the device given back, goes on at the very next frame.",
        options: [
            .init("device", short: "D", value: "PCM", "where to, as ALSA names it; default. \"synthetic\": no device"),
            .init("from", value: "TIME", "begin at 90, 1:30, 1:02:03.5, or at a frame: 4320000f"),
            .init("resume", short: "r", "begin where it was left, at the next frame"),
            .init("loop", short: "l", "begin again at the end, without a gap"),
            .init("volume", value: "V", "0…1, or 0%…100%; at 1 the samples are handed on bit by bit"),
            .init("key", short: "k", value: "NAME", "what its position is kept under; the file's path, size and time"),
            .init("state", value: "DIR", "where positions are kept; $STATE_DIRECTORY, else $XDG_STATE_HOME/onstage"),
            .init("pause-mode", value: "exact|fast", "how a pause finds its last frame; exact"),
            .init("buffer", value: "MS", "how much sound the device is given ahead, 20…2000 ms; 100"),
            .init("wait", short: "w", "wait for a device that is not there or in use"),
            .init("recording", value: "FILE", "with --device synthetic: write a WAV of what would be heard"),
            .init("info", short: "i", "say rate, channels, format and frames of FILE, and touch no device"),
            .init("json", short: "j", "for programs"),
            .init("quiet", short: "q", "say nothing but warnings and errors"),
            .init("verbose", short: "v", "say more, on standard error"),
        ],
        notes: """
            Signals: SIGUSR1 pauses and gives the device back, SIGUSR2 goes on; SIGINT and SIGTERM end.
            The position is kept while it plays and at each pause; --resume begins there, else it is 0.

            Exit status: 0 played, 1 cannot be played, 2 wrong usage.
            """)

    /// - Throws: `UsageError`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let parsed = try ParsedOptions(arguments, Self.table)
        wantsHelp = parsed.has("help")
        if wantsHelp { return }
        for name in ["device", "key", "state", "recording"] where parsed.value(name) == "" {
            throw UsageError("--\(name) needs a value")
        }
        files = parsed.operands
        guard !files.isEmpty else { throw UsageError("say which FILE") }
        if files.contains("") { throw UsageError("a FILE has no name") }
        wantsInfo = parsed.has("info")
        guard wantsInfo || files.count == 1 else { throw UsageError("one FILE at a time: what is \"\(files[1])\"?") }
        device = parsed.value("device")
        recording = parsed.value("recording")
        if recording != nil, device != Profile.synthetic {
            throw UsageError("--recording goes with --device synthetic")
        }
        if let text = parsed.value("from") {
            guard let time = MediaTime(text) else {
                throw UsageError("--from \(text) is no time (such as 90, 1:30 or 4320000f)")
            }
            from = time
        }
        isResumed = parsed.has("resume")
        if isResumed, from != nil { throw UsageError("--resume and --from: which of them?") }
        isLooped = parsed.has("loop")
        if let text = parsed.value("volume") { volume = try Self.volume(text) }
        key = parsed.value("key")
        state = parsed.value("state")
        if let text = parsed.value("pause-mode") {
            guard let mode = PauseMode(rawValue: text) else {
                throw UsageError("--pause-mode \(text) is neither exact nor fast")
            }
            pauseMode = mode
        }
        if let text = parsed.value("buffer") {
            guard let time = Scenario.seconds(text), time >= .seconds(20), time <= .seconds(2000) else {
                throw UsageError("--buffer \(text) is not within 20…2000 (milliseconds)")
            }
            buffer = time / 1000
        }
        waits = parsed.has("wait")
        isJSON = parsed.has("json")
        isQuiet = parsed.has("quiet")
        isVerbose = parsed.has("verbose")
    }

    private static func volume(_ text: String) throws(UsageError) -> Double {
        let isPercent = text.hasSuffix("%")
        guard let number = Scenario.seconds(isPercent ? String(text.dropLast()) : text) else {
            throw UsageError("--volume \(text) is no number within 0…1 or 0%…100%")
        }
        let value = FixedPoint.seconds(number) / (isPercent ? 100 : 1)
        guard value <= 1 else { throw UsageError("--volume \(text) is more than the whole: 0…1, or 0%…100%") }
        return value
    }

    /// How the player is to play.
    var player: Player.Options {
        var options = Player.Options()
        options.output = device == Profile.synthetic ? nil : device ?? "default"
        options.recording = recording
        options.isLooped = isLooped
        options.volume = volume
        options.key = key
        if let pauseMode { options.pauseMode = pauseMode }
        if let buffer { options.bufferTime = buffer }
        return options
    }
}
