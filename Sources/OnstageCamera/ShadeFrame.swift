extension Frame {
    /// A black picture in memory of its own, for the time of `body`.
    package static func withShade(
        width: Int, height: Int, _ body: (borrowing Frame) -> Void
    ) {
        let pixels = ConvertedPixels(width: width, height: height)
        for index in 0..<width * height {
            for byte in 0..<3 { pixels.pixels[index * 4 + byte] = 0 }
            pixels.pixels[index * 4 + 3] = 255
        }
        let layout = FrameLayout(width: width, height: height, pixelFormat: .bgra, strides: [width * 4], sizes: [])
        let buffer = FrameBuffer(
            index: 0, layout: layout, memories: [], isOwn: true, ring: BufferRing(bell: HomeBell()),
            pool: ConversionPool())
        body(Frame(buffer: buffer, converted: pixels))
    }
}
