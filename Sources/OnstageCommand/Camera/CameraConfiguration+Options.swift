internal import Onstage

extension CameraConfiguration {
    /// What every command that streams takes alike.
    static let options: [OptionTable.Option] = [
        .init("size", value: "WxH", "in pixels; 640x480 or what comes nearest"),
        .init("format", value: "FOURCC", "YUYV, NV12, MJPG …; the cheapest that fits"),
        .init("fps", value: "F", "frames per second; as the camera is set"),
    ]

    /// The camera that a command line means, and what ``options`` wish of it.
    ///
    /// - Parameter device: a name that `onstage devices` shows, any, or synthetic.
    /// - Throws: `UsageError`.
    init(_ device: String, _ parsed: ParsedOptions) throws(UsageError) {
        self.init(selector: device == Profile.synthetic ? .any : CameraSelector(device))
        if let text = parsed.value("size") { (width, height) = try CameraWords.size(text, "--size") }
        if let text = parsed.value("format") { pixelFormat = try CameraWords.pixelFormat(text, "--format") }
        if let text = parsed.value("fps") { rate = try CameraWords.rate(text, "--fps") }
    }
}
