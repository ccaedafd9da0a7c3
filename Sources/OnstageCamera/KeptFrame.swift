public import OnstageCore

/// A frame that outlives the call it came in; its buffer goes back to the device with the last reference.
///
/// A release of the device does not wait for it. Its pixels then turn to zeros or were copied, as the camera's
/// configuration says (``KeptFramePolicy``); a converted frame keeps its pixels. Never overwritten by a later frame.
public final class KeptFrame: Sendable {
    private let buffer: FrameBuffer
    private let converted: ConvertedPixels?

    init(buffer: FrameBuffer, converted: ConvertedPixels?) {
        buffer.hold()
        self.buffer = buffer
        info = buffer.info
        self.converted = converted
    }

    deinit {
        buffer.giveBack()
    }

    public let info: FrameInfo
    public var sequence: UInt64 { info.sequence }
    public var timestamp: MonotonicTime { info.timestamp }

    /// Lends the frame for the time of `body`.
    public func withFrame<R, E: Error>(_ body: (borrowing Frame) throws(E) -> R) throws(E) -> R {
        try body(Frame(buffer: buffer, converted: converted))
    }

    /// Copies the frame.
    public func copy() -> Picture {
        Picture(copying: Frame(buffer: buffer, converted: converted))
    }
}
