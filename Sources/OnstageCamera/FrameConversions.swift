/// What one frame has been converted to so far: each form once, however many sinks ask for it.
///
/// Its loops count by hand: nothing may be made for a frame in any build.
struct FrameConversions {
    private struct Made {
        let shape: PixelShape
        let pixels: ConvertedPixels
    }

    private var whole: ConvertedPixels?
    private var shaped: [Made] = []

    /// The frame as a sink wants it.
    mutating func pixels(
        _ wish: FrameSink.Pixels, _ buffer: FrameBuffer, _ pool: ConversionPool
    ) throws(ConversionError) -> ConvertedPixels {
        let layout = buffer.layout
        let shape = PixelShape(wish, width: layout.width, height: layout.height, upright: buffer.info.rotation)
        if shape.isWhole(of: layout.width, layout.height) { return try all(buffer, pool) }
        var index = 0
        while index < shaped.count {
            if shaped[index].shape == shape { return shaped[index].pixels }
            index += 1
        }
        let made = try pool.make(shape, of: all(buffer, pool))
        shaped.append(Made(shape: shape, pixels: made))
        return made
    }

    private mutating func all(_ buffer: FrameBuffer, _ pool: ConversionPool) throws(ConversionError) -> ConvertedPixels
    {
        if let whole { return whole }
        let pixels = pool.take(width: buffer.layout.width, height: buffer.layout.height)
        do throws(ConversionError) {
            try pixels.fill(from: buffer)
        } catch {
            pool.put(pixels)
            throw error
        }
        whole = pixels
        return pixels
    }

    /// Nothing of the picture stays, under whoever reads it.
    func blank() {
        whole?.blank()
        for made in shaped { made.pixels.blank() }
    }

    /// The last reader is gone.
    mutating func giveBack(_ pool: ConversionPool) {
        if let pixels = whole { pool.put(pixels) }
        whole = nil
        var index = 0
        while index < shaped.count {
            pool.put(shaped[index].pixels)
            index += 1
        }
        if index > 0 { shaped.removeAll(keepingCapacity: true) }
    }
}
