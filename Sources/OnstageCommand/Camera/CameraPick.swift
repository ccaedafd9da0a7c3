internal import Onstage
internal import OnstageCore

/// What `onstage snapshot` and `onstage record` take alike: which camera, and what of it.
struct CameraPick: Sendable {
    var configuration = CameraConfiguration()
    var isSynthetic = false
    var pixels = FrameSink.Pixels.native
    /// Nothing is turned or mirrored, as far as is known before the camera is open.
    var isPlain = false
    /// How long to wait for a camera that is not there or in use; nil: not at all.
    var patience: Duration?

    static let options: [OptionTable.Option] =
        [
            .init("device", short: "D", value: "NAME", "a name that onstage devices shows, any or synthetic; any")
        ] + CameraConfiguration.options + [
            .init("rotate", value: "DEGREES", "0, 90, 180 or 270, clockwise; or upright, as the camera says of itself"),
            .init("mirror", "exchange left and right"),
            .init("set", value: "CONTROL=VALUE", "set a control first; may be repeated"),
            .init("skip", value: "N", "frames to leave out first, until exposure has settled; 0"),
            .init("wait", short: "w", value: "SECONDS", "wait so long for a camera that is not there or in use"),
        ]

    /// - Parameter standard: how pictures are turned when the command line does not say.
    /// - Throws: `UsageError`.
    init(_ parsed: ParsedOptions, rotation standard: FrameSink.Pixels.Rotation) throws(UsageError) {
        let device = parsed.value("device") ?? "any"
        if device.isEmpty { throw UsageError("--device needs a value") }
        configuration = try CameraConfiguration(device, parsed)
        // A camera that goes in the middle of a frame must not leave half of it blank.
        configuration.keptFramePolicy = .copy
        isSynthetic = device == Profile.synthetic
        var rotation = standard
        if let text = parsed.value("rotate") {
            switch text {
            case "upright": rotation = .upright
            case "0": rotation = .none
            case "90": rotation = .quarter
            case "180": rotation = .half
            case "270": rotation = .threeQuarters
            default: throw UsageError("--rotate \(text) is none of upright, 0, 90, 180 and 270")
            }
        }
        isPlain = rotation == .none && !parsed.has("mirror")
        pixels = .bgra(rotation: rotation, isMirrored: parsed.has("mirror"))
        configuration.controls = try CameraWords.settings(parsed, "set")
        configuration.settleFrames = try parsed.integer("skip", in: 0...100_000) ?? 0
        patience = try parsed.seconds("wait")
    }
}
