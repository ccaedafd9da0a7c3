internal import Onstage

/// What a command line of `onstage bench camera` says.
struct BenchCameraOptions: CommandOptions, Sendable {
    var configuration = CameraConfiguration()
    var isSynthetic = false
    /// Frames of each acquire.
    var frames = 300
    /// Acquires, one after the other.
    var cycles = 1
    var place = SinkPlace.inline
    var pixels = FrameSink.Pixels.native
    var isJSON = false
    var wantsHelp = false

    static let table = OptionTable(
        program: "onstage bench camera", forms: ["[OPTION]… DEVICE"],
        summary: "Captures frames as an app would and says rate, jitter, latency, what was lost, and how long it took.",
        options: [
            .init("frames", short: "n", value: "N", "frames to capture, 1…10000000; 300")
        ] + CameraConfiguration.options + [
            .init("buffers", value: "N", "2…32; as many as the sinks need"),
            .init("sink", value: "inline|queued", "on the device's thread, or on one of its own; inline"),
            .init("as", value: "native|bgra", "as the camera makes them, or converted; native"),
            .init("cycles", value: "N", "acquire and release so many times, 1…100000, with N frames each; 1"),
            .init("json", short: "j", "for programs"),
        ],
        notes: """
            DEVICE: a name that onstage devices shows, any, or synthetic.
            Latency: from the driver's time stamp to the sink's call. Jitter: deviation of the time between two calls.

            Exit status: 0 measured, 1 the camera failed or is in use, 2 wrong usage.
            """)

    /// - Throws: `UsageError`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let parsed = try ParsedOptions(arguments, Self.table)
        wantsHelp = parsed.has("help")
        if wantsHelp { return }
        let device = try parsed.operand("DEVICE", "camera")
        configuration = try CameraConfiguration(device, parsed)
        isSynthetic = device == Profile.synthetic
        frames = try parsed.integer("frames", in: 1...10_000_000) ?? frames
        cycles = try parsed.integer("cycles", in: 1...100_000) ?? cycles
        configuration.buffers = try parsed.integer("buffers", in: 2...32)
        if let text = parsed.value("sink") {
            guard let place = SinkPlace(rawValue: text) else {
                throw UsageError("--sink \(text) is neither inline nor queued")
            }
            self.place = place
        }
        switch parsed.value("as") {
        case nil, "native": break
        case "bgra": pixels = .bgra
        case let other: throw UsageError("--as \(other ?? "") is neither native nor bgra")
        }
        isJSON = parsed.has("json")
    }
}
