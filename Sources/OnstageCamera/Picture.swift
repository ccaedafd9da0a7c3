/// A frame in memory of its own: independent of the camera, never changed.
public struct Picture: Sendable {
    /// Unchecked: written while being made, by one thread, and only read afterwards.
    private final class Storage: @unchecked Sendable {
        let bytes: UnsafeMutableRawBufferPointer
        init(_ count: Int) {
            bytes = .allocate(byteCount: count, alignment: 64)
        }
        deinit { bytes.deallocate() }
    }

    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    public let pixelFormat: PixelFormat
    public let color: ColorEncoding
    public let info: FrameInfo
    private let layout: FrameLayout
    private let storage: Storage
    /// Where each plane begins and ends in the storage.
    private let ranges: [Range<Int>]

    init(copying frame: borrowing Frame) {
        width = frame.width
        height = frame.height
        pixelFormat = frame.pixelFormat
        color = frame.color
        info = frame.info
        var layout = frame.buffer.layout
        var total = 0
        var ranges: [Range<Int>] = []
        for plane in 0..<frame.planeCount {
            let count = frame.withUnsafeBytes(plane: plane) { $0.count }
            ranges.append(total..<total + count)
            total += (count + 63) / 64 * 64
        }
        let storage = Storage(total)
        for plane in 0..<frame.planeCount {
            frame.withUnsafeBytes(plane: plane) { bytes in
                UnsafeMutableRawBufferPointer(rebasing: storage.bytes[ranges[plane]]).copyMemory(from: bytes)
            }
        }
        if let converted = frame.converted {
            layout = FrameLayout(
                width: width, height: height, pixelFormat: .bgra, strides: [converted.stride],
                sizes: [converted.byteCount])
        }
        self.layout = layout
        self.storage = storage
        self.ranges = ranges
    }

    init(pixels: ConvertedPixels, info: FrameInfo) {
        width = pixels.width
        height = pixels.height
        pixelFormat = .bgra
        color = ColorEncoding(isFullRange: true)
        self.info = info
        layout = FrameLayout(
            width: pixels.width, height: pixels.height, pixelFormat: .bgra, strides: [pixels.stride],
            sizes: [pixels.byteCount])
        storage = Storage(pixels.byteCount)
        storage.bytes.copyMemory(from: pixels.bytes)
        ranges = [0..<pixels.byteCount]
    }

    /// Planes, 1 for compressed pictures.
    public var planeCount: Int { ranges.count }

    /// Bytes from row to row of a plane; 0 for compressed pictures.
    public func stride(plane: Int = 0) -> Int {
        layout.planes.isEmpty ? 0 : layout.planes[plane].stride
    }

    /// Lends the bytes of one plane.
    public func withBytes<R, E: Error>(plane: Int = 0, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage.bytes[ranges[plane]])))
    }

    /// The same for C.
    public func withUnsafeBytes<R, E: Error>(
        plane: Int = 0, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeRawBufferPointer(rebasing: storage.bytes[ranges[plane]]))
    }

    /// The same picture as B, G, R, A.
    /// - Throws: as ``Frame/picture(as:)``.
    public func picture(as format: PixelFormat) throws(ConversionError) -> Picture {
        if format == pixelFormat { return self }
        guard format == .bgra else { throw ConversionError("pictures become B, G, R, A or stay as they are") }
        return Picture(pixels: try pixels(), info: info)
    }

    /// Its pixels as B, G, R, A.
    func pixels() throws(ConversionError) -> ConvertedPixels {
        let pixels = ConvertedPixels(width: width, height: height)
        try pixels.fill(layout: layout) { UnsafeRawBufferPointer(rebasing: storage.bytes[ranges[$0]]) }
        return pixels
    }
}
