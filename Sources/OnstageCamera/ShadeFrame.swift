extension Frame {
    /// A black picture in memory of its own, for the time of `body`.
    package static func withShade(
        width: Int, height: Int, _ body: (borrowing Frame) -> Void
    ) {
        let pixels = ConvertedPixels(width: width, height: height)
        pixels.pixels.withMemoryRebound(to: UInt32.self, capacity: width * height) {
            $0.update(repeating: UInt32(littleEndian: 0xff00_0000), count: width * height)
        }
        let layout = FrameLayout(width: width, height: height, pixelFormat: .bgra, strides: [width * 4], sizes: [])
        let buffer = FrameBuffer(
            index: 0, layout: layout, memories: [], isOwn: true, ring: BufferRing(bell: HomeBell()),
            pool: ConversionPool())
        body(Frame(buffer: buffer, converted: pixels))
    }
}
