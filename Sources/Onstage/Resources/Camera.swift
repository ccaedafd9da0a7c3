public import OnstageCamera
public import OnstageCore

/// A camera whose frames reach sinks while its scene is on stage.
///
///     let camera = try Camera()
///     try camera.onFrame { frame in … }
///     try scene.bind(camera)
public final class Camera: Resource {
    public let handle: ResourceHandle
    private let sinks: FrameSinks
    let settings: ControlSettings

    /// Describes a camera; nothing is opened.
    ///
    /// - Parameters:
    ///   - configuration: which camera, and what is wished of it.
    ///   - name: its name in receipts, events and the report.
    ///   - isSynthetic: a moving test pattern instead of a device.
    /// - Throws: `configuration` for a wish that makes no sense.
    public init(
        _ configuration: CameraConfiguration = CameraConfiguration(), name: String = "camera",
        isSynthetic: Bool = false
    ) throws(DeviceError) {
        try configuration.check()
        let sinks = FrameSinks()
        let settings = ControlSettings(configuration.controls)
        (self.sinks, self.settings) = (sinks, settings)
        let kind: CameraDriverKind = isSynthetic ? .synthetic : .v4l2
        handle = ResourceHandle(name: name, kind: .camera) { kind.make(configuration, sinks, settings, $0) }
    }

    /// Hands each frame to `body`, lent for the call.
    ///
    /// *Runs on:* `place`: a thread of the sink's own that gets the newest frame (`.queued`), or the device's thread
    /// (`.inline`, for work that is shorter than a frame period).
    /// - Throws: `tooMany` when the kernel gives no thread.
    @discardableResult
    public func onFrame(
        _ place: SinkPlace = .queued, as pixels: FrameSink.Pixels = .native,
        backpressure: FrameSink.Backpressure = .keepLatest, _ body: @escaping @Sendable (borrowing Frame) -> Void
    ) throws(DeviceError) -> FrameSink {
        try sinks.add(place, as: pixels, backpressure: backpressure, body)
    }

    /// Single pictures out of the stream, for as long as the object is kept.
    /// - Throws: `tooMany` when the kernel gives no descriptor.
    public func imageCapture() throws(DeviceError) -> ImageCapture {
        try ImageCapture(sinks)
    }

    /// The frames, the newest at each turn.
    /// - Throws: `tooMany` when the kernel gives no thread.
    public func frames() throws(DeviceError) -> NewestFrames {
        try sinks.frames()
    }
}
