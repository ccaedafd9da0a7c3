internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// `onstage snapshot`
enum SnapshotCommand {
    static let table = OptionTable(
        program: "onstage snapshot", forms: ["[OPTION]… FILE"],
        summary: "Writes one picture of a camera to FILE: a JPEG, or a PNG where its name ends in .png.",
        options: CameraPick.options + [
            .init("quality", short: "q", value: "Q", "of a JPEG, 1…100; 90"),
            .init("json", short: "j", "say what was written, for programs"),
        ],
        notes: """
            Pictures are turned upright, unless --rotate says otherwise.
            FILE is written whole or not at all. A camera that makes JPEG pictures has them copied, not encoded anew.

            Exit status: 0 written, 1 not, 2 wrong usage.
            """)

    static func run(_ arguments: [String]) -> Int32 {
        let pick: CameraPick
        let file: String
        let encoding: PictureEncoding
        let isJSON: Bool
        do throws(UsageError) {
            let parsed = try ParsedOptions(arguments, table)
            if parsed.has("help") { return Output.out(table.helpText) ? 0 : 1 }
            file = try parsed.operand("FILE")
            encoding = try Self.encoding(file, quality: parsed.integer("quality", in: 1...100))
            pick = try CameraPick(parsed, rotation: .upright)
            isJSON = parsed.has("json")
        } catch {
            return Command.refuse(error, table)
        }
        return Command.attempt(table) { () throws(DeviceError) in
            let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
            let session = try CaptureSession(pick, signals, program: "onstage snapshot")
            let picture = try session.picture(encoding)
            try AtomicFile.write(file, picture.bytes.span.bytes)
            guard isJSON else { return 0 }
            let json: JSONValue = [
                "version": 1, "file": .text(file), "width": .integer(Int64(picture.width)),
                "height": .integer(Int64(picture.height)), "bytes": .integer(Int64(picture.bytes.count)),
                "device": .text(session.device?.identity ?? ""),
                "sequence": .integer(Int64(clamping: picture.info.sequence)),
            ]
            return Output.out(json.line + "\n") ? 0 : 1
        }
    }

    private static func encoding(_ file: String, quality: Int?) throws(UsageError) -> PictureEncoding {
        let name = file.lowercased()
        if name.hasSuffix(".png") {
            if quality != nil { throw UsageError("--quality is for a JPEG, and \(file) is none") }
            return .png
        }
        guard name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") || file.hasPrefix("/dev/") else {
            throw UsageError("\(file) ends in none of .jpg, .jpeg and .png")
        }
        return quality.map { .jpeg(quality: $0) } ?? .jpeg()
    }
}
