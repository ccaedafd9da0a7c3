public import OnstageCore
internal import OnstageLinux

/// One frame, lent for the time of one call.
///
/// What outlives the call is a ``KeptFrame`` (``keep()``: the buffer stays out of the ring) or a ``Picture`` (``copy()``:
/// memory of its own).
public struct Frame: ~Copyable {
    let buffer: FrameBuffer
    /// Set when the sink asked for B, G, R, A.
    let converted: ConvertedPixels?
    /// Frames that this sink missed since its last call because it was busy.
    public let missed: Int

    init(buffer: FrameBuffer, converted: ConvertedPixels? = nil, missed: Int = 0) {
        self.buffer = buffer
        self.converted = converted
        self.missed = missed
    }

    /// In pixels.
    public var width: Int { converted?.width ?? buffer.layout.width }
    /// In pixels.
    public var height: Int { converted?.height ?? buffer.layout.height }
    public var pixelFormat: PixelFormat { converted == nil ? buffer.layout.pixelFormat : .bgra }
    /// What the numbers mean as light.
    public var color: ColorEncoding { buffer.layout.color }
    /// Frames a second that the camera is set to, if it says.
    public var rate: Hertz? { buffer.layout.rate }
    /// Bytes from row to row of the first plane; 0 for compressed frames.
    public var stride: Int { stride(plane: 0) }
    /// Planes, 1 for compressed frames.
    public var planeCount: Int { converted == nil ? max(1, buffer.layout.planes.count) : 1 }
    public var info: FrameInfo { buffer.info }
    public var sequence: UInt64 { buffer.info.sequence }
    /// CLOCK_MONOTONIC; ``FrameInfo/isArrivalTime`` tells when the device did not say.
    public var timestamp: MonotonicTime { buffer.info.timestamp }
    /// Frames lost before this one by the device, or left out because they were bad.
    public var droppedBefore: Int { buffer.info.droppedBefore }
    /// How long ago the frame was taken.
    public var age: Duration { MonotonicTime.now - buffer.info.timestamp }

    /// Bytes from row to row of a plane; 0 for compressed frames.
    public func stride(plane: Int) -> Int {
        if let converted { return converted.stride }
        return buffer.layout.planes.isEmpty ? 0 : buffer.layout.planes[plane].stride
    }

    /// Lends the bytes of one plane for the time of `body`, without a copy.
    public func withBytes<R, E: Error>(plane: Int = 0, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try body(RawSpan(_unsafeBytes: rawBytes(plane)))
    }

    /// The same for C: the pointer is good until `body` returns.
    public func withUnsafeBytes<R, E: Error>(
        plane: Int = 0, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(rawBytes(plane))
    }

    private func rawBytes(_ plane: Int) -> UnsafeRawBufferPointer {
        precondition((0..<planeCount).contains(plane), "the frame has \(planeCount) planes")
        return converted?.bytes ?? buffer.bytes(plane: plane)
    }

    /// Lends the frame's memory as dma-bufs for the time of `body`, without a copy; nil when there are none: the sink did
    /// not ask for them (``FrameSink/Pixels/dmaBuffer``), the driver cannot lend them, or the camera has been
    /// given back.
    ///
    /// *Runs on:* any thread. A release does not wait for `body`: the descriptors that it reads are then closed when it
    /// returns.
    /// *C: `VIDIOC_EXPBUF`.*
    public func withDMABuffer<R, E: Error>(_ body: (borrowing DMABuffer) throws(E) -> R) throws(E) -> R? {
        guard converted == nil, let descriptors = buffer.beginReading() else { return nil }
        defer { buffer.finishReading() }
        return try body(DMABuffer(buffer, descriptors))
    }

    /// Keeps the frame beyond the call. Its buffer is out of the ring until the last reference goes: whoever keeps many
    /// leaves the device without memory to fill, and no frame comes until one is let go.
    public func keep() -> KeptFrame {
        KeptFrame(buffer: buffer, converted: converted)
    }

    /// Copies the frame as it is.
    public func copy() -> Picture {
        Picture(copying: self)
    }

    /// Copies the frame as another format; B, G, R, A is the one there is.
    /// - Throws: when there is no way from the frame's format, libyuv is missing, or a JPEG picture cannot be read.
    public func picture(as format: PixelFormat) throws(ConversionError) -> Picture {
        if format == pixelFormat { return copy() }
        guard format == .bgra else { throw ConversionError("frames become B, G, R, A or stay as they are") }
        let pixels = ConvertedPixels(width: buffer.layout.width, height: buffer.layout.height)
        try pixels.fill(from: buffer)
        return Picture(pixels: pixels, info: info)
    }
}
