public import OnstageCore

/// What is wished of a camera. Everything is optional; what cannot be had exactly is adjusted and said.
public struct CameraConfiguration: Sendable {
    public var selector: CameraSelector
    /// In pixels; 640 × 480 or what comes nearest when not given.
    public var width: Int?
    /// In pixels.
    public var height: Int?
    /// A native format of the camera is used as it is; another one is made by libv4l2. Not given: the cheapest that fits.
    public var pixelFormat: PixelFormat?
    /// Frames per second; as the camera is set when not given.
    public var rate: Hertz?
    /// Refuse what would have to be adjusted.
    public var isExact: Bool
    /// Let libv4l2 make formats that the camera lacks.
    public var allowsConversion: Bool
    /// Buffers of the device, 2…32; not given: two, one for each sink or sequence that keeps one busy, and
    /// ``keptFrames``.
    public var buffers: Int?
    /// Frames that the app means to keep at once, beside its sinks.
    public var keptFrames: Int
    /// How long to wait for a first frame, and how long a stream may stand still; not given: five frame periods, at
    /// least 1 s.
    public var frameDeadline: Duration?
    /// Good frames left out after each start, until exposure has settled.
    public var settleFrames: Int
    /// The same by time since the start.
    public var settleTime: Duration
    /// What becomes of frames that are kept over a release.
    public var keptFramePolicy: KeptFramePolicy
    /// Nothing of a picture stays where the app can read it after a release: frames that are kept turn to zeros whatever
    /// ``keptFramePolicy`` says, converted ones and those lent as dma-bufs too. A ``Picture`` is the app's own and stays.
    public var isSensitive: Bool
    /// Set at each acquire, automatics first. One that cannot be set is a note, no error.
    public var controls: [ControlSetting]
    /// By how many degrees pictures have to be turned clockwise to be upright, 0, 90, 180 or 270; not given: what the
    /// camera says of itself.
    public var rotation: Int?
    /// For a camera behind a media controller (``CameraInfo/needsPipeline``): its links and formats, set at each acquire.
    public var pipeline: MediaPipeline?

    public init(
        selector: CameraSelector = .any, width: Int? = nil, height: Int? = nil, pixelFormat: PixelFormat? = nil,
        rate: Hertz? = nil, isExact: Bool = false, allowsConversion: Bool = true, buffers: Int? = nil,
        keptFrames: Int = 0, frameDeadline: Duration? = nil, settleFrames: Int = 0, settleTime: Duration = .zero,
        keptFramePolicy: KeptFramePolicy = .blank, isSensitive: Bool = false, controls: [ControlSetting] = [],
        rotation: Int? = nil, pipeline: MediaPipeline? = nil
    ) {
        self.selector = selector
        self.width = width
        self.height = height
        self.pixelFormat = pixelFormat
        self.rate = rate
        self.isExact = isExact
        self.allowsConversion = allowsConversion
        self.buffers = buffers
        self.keptFrames = keptFrames
        self.frameDeadline = frameDeadline
        self.settleFrames = settleFrames
        self.settleTime = settleTime
        self.keptFramePolicy = keptFramePolicy
        self.isSensitive = isSensitive
        self.controls = controls
        self.rotation = rotation
        self.pipeline = pipeline
    }

    /// What becomes of kept frames, with ``isSensitive`` in mind.
    var releasePolicy: KeptFramePolicy { isSensitive ? .blank : keptFramePolicy }

    /// What makes no sense, before any device is touched.
    /// - Throws: `configuration`.
    package func check() throws(DeviceError) {
        func refuse(_ reason: String) -> DeviceError {
            DeviceError(.configuration, operation: "", device: "camera \(selector)", reason: reason)
        }
        if (width == nil) != (height == nil) { throw refuse("a width needs a height, and the other way round") }
        if let width, let height, !(1...65535).contains(width) || !(1...65535).contains(height) {
            throw refuse("\(width)x\(height) is no size")
        }
        if let rate, !(rate.value > 0 && rate.value <= 10_000) { throw refuse("\(rate.value) Hz is no frame rate") }
        if let buffers, !(2...32).contains(buffers) { throw refuse("\(buffers) buffers: 2 to 32 are possible") }
        if keptFrames < 0 || settleFrames < 0 || settleTime < .zero { throw refuse("a negative count or time") }
        if let rotation, ![0, 90, 180, 270].contains(rotation) { throw refuse("a rotation of \(rotation) degrees") }
        if let frameDeadline, frameDeadline <= .zero { throw refuse("a frame deadline that is not positive") }
    }
}
