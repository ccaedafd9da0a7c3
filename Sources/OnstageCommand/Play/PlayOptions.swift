internal import Onstage
internal import OnstageCore

/// The command line of `onstage play`, read but not yet looked up.
struct PlayOptions: CommandOptions, Hashable, Sendable {
    /// What samples without a header are.
    struct Raw: Hashable, Sendable {
        var rate: Int
        var channels: Int
        var sample: RawPCM.Sample
    }

    var items: [PlayItem] = []
    var raw: Raw?
    var device: String?
    var recording: String?
    var from: MediaTime?
    var isResumed = false
    var isLooped = false
    var atEnd = EndPolicy.rewind
    var volume = 1.0
    var key: String?
    var state: String?
    var pauseMode: PauseMode?
    var buffer: Duration?
    var fade: Duration?
    var realtime: RealtimePolicy?
    var waits = false
    var wantsInfo = false
    var isJSON = false
    /// How often the position is told; nil for never.
    var tick: Duration?
    var isQuiet = false
    var isVerbose = false
    var wantsHelp = false

    static let table = OptionTable(
        program: "onstage play",
        forms: [
            "[OPTION]… FILE…", "[OPTION]… - --rate HZ --channels N --format s16|s24|s32|f32", "--info [--json] FILE…",
        ],
        summary: "Plays sounds, exactly: after each pause, with the device given back, goes on at the very next frame.",
        options: [
            .init("device", short: "D", value: "PCM", "where to, as ALSA names it; default. \"synthetic\": no device"),
            .init("from", value: "TIME", "begin at 90, 1:30, 1:02:03.5, or at a frame: 4320000f"),
            .init("resume", short: "r", "begin each FILE where it was left, at the next frame"),
            .init("loop", short: "l", "begin again at the end: one FILE without a gap, several from the first"),
            .init(
                "at-end", value: "rewind|stay",
                "what is kept at its end: that it begins anew, or that it was heard; rewind"),
            .init("volume", value: "V", "0…1, or 0%…100%; at 1 the samples are handed on bit by bit"),
            .init("key", short: "k", value: "NAME", "what its position is kept under; the FILE's path, size and time"),
            .init("state", value: "DIR", "where positions are kept; $STATE_DIRECTORY, else $XDG_STATE_HOME/onstage"),
            .init("pause-mode", value: "exact|fast", "how a pause finds its last frame; exact"),
            .init("buffer", value: "MS", "how much sound the device is given ahead, 20…2000 ms; 100"),
            .init("fade", value: "MS", "how long it fades away at a pause and back after it, 0…50 ms; 0"),
            .init(
                "realtime", value: "auto|always|never",
                "go before ordinary programs: where RLIMIT_RTPRIO allows and not as root; auto"),
            .init("wait", short: "w", "wait for a device that is not there or in use"),
            .init("recording", value: "WAV", "with --device synthetic: write what would be heard"),
            .init("rate", value: "HZ", "of standard input, in frames a second"),
            .init("channels", value: "N", "of standard input, interleaved"),
            .init("format", value: "F", "of standard input: s16, s24 (three bytes), s32, f32; little-endian"),
            .init("info", short: "i", "say rate, channels, format and frames of each FILE, and touch no device"),
            .init("json", short: "j", "for programs: an object a line for each event"),
            .init("tick", value: "SECONDS", "with --json: how often the position is told; 1, 0 for never"),
            .init("quiet", short: "q", "say nothing but warnings and errors"),
            .init("verbose", short: "v", "say more, on standard error"),
        ],
        notes: """
            Keys: space pauses and goes on, left and right go 5 s, up and down change the volume, n goes to the next FILE (behind
            the last one it is the end), p to the beginning of this one and from its first 3 s to the one before, q ends. A pause
            gives the device back; so does Ctrl-Z, until fg.
            Signals: SIGUSR1 pauses, SIGUSR2 goes on; SIGINT, SIGTERM and SIGHUP end.

            Without --resume or --from a FILE begins at its first frame. Its position is kept while it plays, once a second, and
            at each pause (onstage positions lists them); after its end it is 0, or with --at-end stay its end: then
            --resume plays nothing of it. Standard input can neither be sought nor resumed; while nothing comes from it there is silence.

            Exit status: 0 played, 1 something could not be played, 2 wrong usage.
            """)

    /// - Throws: `UsageError`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let parsed = try ParsedOptions(arguments, Self.table)
        wantsHelp = parsed.has("help")
        if wantsHelp { return }
        for name in ["device", "key", "state", "recording"] where parsed.value(name) == "" {
            throw UsageError("--\(name) needs a value")
        }
        if parsed.operands.contains("") { throw UsageError("a FILE has no name") }
        items = parsed.operands.map(PlayItem.init)
        guard !items.isEmpty else { throw UsageError("say which FILE") }
        wantsInfo = parsed.has("info")
        isResumed = parsed.has("resume")
        isLooped = parsed.has("loop")
        if let text = parsed.value("at-end") {
            guard let policy = EndPolicy(rawValue: text) else {
                throw UsageError("--at-end \(text) is neither rewind nor stay")
            }
            atEnd = policy
        }
        key = parsed.value("key")
        if key != nil, items.count > 1 { throw UsageError("--key goes with one FILE") }
        if let text = parsed.value("from") {
            guard let time = MediaTime(text) else {
                throw UsageError("--from \(text) is no time (such as 90, 1:30 or 4320000f)")
            }
            from = time
        }
        if isResumed, from != nil { throw UsageError("--resume and --from: which of them?") }
        raw = try Self.raw(parsed, isWanted: items.contains(.standardInput))
        if raw != nil { try refuseForStandardInput() }
        device = parsed.value("device")
        recording = parsed.value("recording")
        if recording != nil, device != Profile.synthetic {
            throw UsageError("--recording goes with --device synthetic")
        }
        if let text = parsed.value("volume") { volume = try Self.volume(text) }
        state = parsed.value("state")
        if let text = parsed.value("pause-mode") {
            guard let mode = PauseMode(rawValue: text) else {
                throw UsageError("--pause-mode \(text) is neither exact nor fast")
            }
            pauseMode = mode
        }
        buffer = try Self.milliseconds(parsed, "buffer", in: 20...2000)
        fade = try Self.milliseconds(parsed, "fade", in: 0...50)
        if let text = parsed.value("realtime") {
            guard let policy = RealtimePolicy(rawValue: text) else {
                throw UsageError("--realtime \(text) is none of auto, always, never")
            }
            realtime = policy
        }
        waits = parsed.has("wait")
        isJSON = parsed.has("json")
        tick = try Self.tick(parsed, isJSON: isJSON && !wantsInfo)
        isQuiet = parsed.has("quiet")
        isVerbose = parsed.has("verbose")
    }

    private func refuseForStandardInput() throws(UsageError) {
        if wantsInfo { throw UsageError("--info wants a FILE: standard input has no header") }
        if items.count(where: { $0 == .standardInput }) > 1 { throw UsageError("standard input can be played once") }
        if from != nil || isResumed || isLooped || key != nil || atEnd == .stay {
            throw UsageError("standard input can neither be sought, resumed nor looped")
        }
    }

    private static func raw(_ parsed: ParsedOptions, isWanted: Bool) throws(UsageError) -> Raw? {
        let given = ["rate", "channels", "format"].filter { parsed.has($0) }
        guard isWanted else {
            if let name = given.first { throw UsageError("--\(name) goes with standard input: the FILE \"-\"") }
            return nil
        }
        guard let rate = parsed.value("rate"), let channels = parsed.value("channels"),
            let format = parsed.value("format")
        else { throw UsageError("standard input has no header: say its --rate, --channels and --format") }
        guard let rateNumber = Int(rate), (1...768_000).contains(rateNumber) else {
            throw UsageError("--rate \(rate) is not within 1…768000 (frames a second)")
        }
        guard let channelNumber = Int(channels), (1...32).contains(channelNumber) else {
            throw UsageError("--channels \(channels) is not within 1…32")
        }
        guard let sample = RawPCM.Sample(rawValue: format) else {
            let all = RawPCM.Sample.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--format \(format) is none of \(all)")
        }
        return Raw(rate: rateNumber, channels: channelNumber, sample: sample)
    }

    private static func milliseconds(
        _ parsed: ParsedOptions, _ name: String, in range: ClosedRange<Int>
    ) throws(UsageError) -> Duration? {
        guard let text = parsed.value(name) else { return nil }
        // Scenario.seconds reads a decimal number: here of milliseconds.
        guard let time = Scenario.seconds(text), time >= .seconds(range.lowerBound), time <= .seconds(range.upperBound)
        else {
            throw UsageError("--\(name) \(text) is not within \(range.lowerBound)…\(range.upperBound) (milliseconds)")
        }
        return time / 1000
    }

    private static func tick(_ parsed: ParsedOptions, isJSON: Bool) throws(UsageError) -> Duration? {
        guard let text = parsed.value("tick") else { return isJSON ? .seconds(1) : nil }
        guard isJSON else { throw UsageError("--tick goes with --json") }
        guard let time = Scenario.seconds(text), time == .zero || time >= .milliseconds(10) else {
            throw UsageError("--tick \(text) is neither 0 nor 0.01 or more (seconds)")
        }
        return time == .zero ? nil : time
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

    /// How a player is to play.
    var player: Player.Options {
        var options = Player.Options()
        options.output = device == Profile.synthetic ? nil : device ?? "default"
        options.recording = recording
        options.isLooped = isLooped && items.count == 1
        options.atEnd = atEnd
        options.volume = volume
        options.key = key
        if let pauseMode { options.pauseMode = pauseMode }
        if let buffer { options.bufferTime = buffer }
        if let fade { options.fade = fade }
        if let realtime { options.realtime = realtime }
        return options
    }
}
