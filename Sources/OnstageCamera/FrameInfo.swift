public import OnstageCore

/// What is known of one frame besides its pixels.
public struct FrameInfo: Hashable, Sendable {
    /// Counted by the device since the stream began; gaps are frames that it lost.
    public var sequence: UInt64
    /// CLOCK_MONOTONIC.
    public var timestamp: MonotonicTime
    /// Whether ``timestamp`` is when the frame came to us: the device stamps with no clock that is known.
    public var isArrivalTime: Bool
    /// Whether ``timestamp`` is when the exposure began; else when the last pixel was there.
    public var isStartOfExposure: Bool
    /// Frames lost before this one since the last that was handed on: by the device, or because they were bad.
    public var droppedBefore: Int
    /// By how many degrees the picture has to be turned clockwise to be upright: 0, 90, 180 or 270.
    public var rotation: Int

    package init(
        sequence: UInt64 = 0, timestamp: MonotonicTime = MonotonicTime(nanoseconds: 0), isArrivalTime: Bool = false,
        isStartOfExposure: Bool = false, droppedBefore: Int = 0, rotation: Int = 0
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.isArrivalTime = isArrivalTime
        self.isStartOfExposure = isStartOfExposure
        self.droppedBefore = droppedBefore
        self.rotation = rotation
    }
}
