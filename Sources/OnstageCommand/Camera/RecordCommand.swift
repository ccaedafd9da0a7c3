internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// `onstage record`
enum RecordCommand {
    static let table = OptionTable(
        program: "onstage record", forms: ["[OPTION]… FILE"],
        summary: "Writes a camera's frames to FILE: raw video (.y4m), or JPEG pictures one behind the other (.mjpeg).",
        options: CameraPick.options + [
            .init("duration", short: "d", value: "SECONDS", "since the first frame; until a signal or --frames"),
            .init("frames", short: "n", value: "N", "so many frames at most"),
            .init(
                "quality", short: "q", value: "Q", "of JPEG pictures that the camera does not make itself, 1…100; 80"),
            .init("json", short: "j", "say what was written, for programs"),
        ],
        notes: """
            A frame is in FILE whole or not at all, also when the disk is full. What the disk or the processor is too slow for
            is left out and counted. SIGINT and SIGTERM end it. For the bench: no sound, no container.

            Exit status: 0 written, 1 not, or not all, 2 wrong usage.
            """)

    static func run(_ arguments: [String]) -> Int32 {
        let pick: CameraPick
        let file: String
        let kind: VideoFile.Kind
        let isJSON: Bool
        let duration: Duration?
        let limit: Int
        let quality: Int
        do throws(UsageError) {
            let parsed = try ParsedOptions(arguments, table)
            if parsed.has("help") { return Output.out(table.helpText) ? 0 : 1 }
            file = try parsed.operand("FILE")
            guard let known = VideoFile.Kind(file) else { throw UsageError("\(file) ends in neither .y4m nor .mjpeg") }
            kind = known
            pick = try CameraPick(parsed, rotation: .none)
            duration = try parsed.seconds("duration")
            if duration == .zero { throw UsageError("--duration 0 records nothing") }
            limit = try parsed.integer("frames", in: 1...Int.max) ?? .max
            quality = try parsed.integer("quality", in: 1...100) ?? 80
            isJSON = parsed.has("json")
        } catch {
            return Command.refuse(error, table)
        }
        // A full pipe's reader that leaves is an error of the file.
        signal(SIGPIPE, SIG_IGN)
        return Command.attempt(table) { () throws(DeviceError) in
            let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
            let session = try CaptureSession(pick, signals, program: "onstage record")
            let video = try VideoFile(file, kind, limit: limit, quality: quality) { [mailbox = session.mailbox] in
                mailbox.send(.word(.done))
            }
            // A turned picture is B, G, R, A; one that is wanted as it is goes the shortest way.
            let sink = try session.camera.onFrame(.queued, as: pick.isPlain ? .native : pick.pixels) { video.take($0) }
            defer { sink.remove() }
            try session.run(until: duration)
            let end = video.finish()
            if isJSON {
                let json: JSONValue = [
                    "version": 1, "file": .text(file), "frames": .integer(Int64(end.frames)),
                    "bytes": .integer(end.bytes), "missed": .integer(Int64(end.missed)),
                    "lost": .integer(Int64(end.lost)), "device": .text(session.device?.identity ?? ""),
                ]
                Output.out(json.line + "\n")
            } else {
                Output.complain("onstage record: \(end.frames) frames, \(end.missed + end.lost) left out\n")
            }
            if let error = end.error { throw error }
            if end.frames == 0 {
                throw DeviceError(.stalled, operation: "", device: file, reason: "no frame was recorded")
            }
            return 0
        }
    }
}
