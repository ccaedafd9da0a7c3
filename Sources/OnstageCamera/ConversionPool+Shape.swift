internal import CYuv

extension ConversionPool {
    /// A part of a picture, scaled, turned and mirrored; one pass for each of these that is wanted.
    func make(_ shape: PixelShape, of whole: ConvertedPixels) throws(ConversionError) -> ConvertedPixels {
        guard cyuv_load() == 0 else { throw ConversionError(String(cString: cyuv_missing())) }
        var made: ConvertedPixels?
        var source = UnsafePointer(whole.pixels + shape.top * whole.stride + shape.left * 4)
        var (stride, width, height) = (Int32(whole.stride), Int32(shape.cutWidth), Int32(shape.cutHeight))
        func pass(_ to: ConvertedPixels, _ work: (ConvertedPixels) -> Int32) throws(ConversionError) {
            let answer = work(to)
            if let old = made { put(old) }
            made = to
            guard answer == 0 else {
                put(to)
                throw ConversionError("libyuv cannot scale, turn or mirror this picture (\(answer))")
            }
            source = UnsafePointer(to.pixels)
            (stride, width, height) = (Int32(to.stride), Int32(to.width), Int32(to.height))
        }
        if shape.isScaled {
            try pass(take(width: shape.width, height: shape.height)) {
                cyuv_scale(
                    source, stride, width, height, $0.pixels, Int32($0.stride), Int32($0.width), Int32($0.height))
            }
        }
        if shape.degrees != 0 {
            try pass(take(width: shape.finalWidth, height: shape.finalHeight)) {
                cyuv_rotate(source, stride, $0.pixels, Int32($0.stride), width, height, Int32(shape.degrees))
            }
        }
        if shape.isMirrored {
            try pass(take(width: shape.finalWidth, height: shape.finalHeight)) {
                cyuv_mirror(source, stride, $0.pixels, Int32($0.stride), width, height)
            }
        }
        if let made { return made }
        // Only cut.
        try pass(take(width: shape.width, height: shape.height)) {
            cyuv_copy(source, stride, $0.pixels, Int32($0.stride), width, height)
        }
        return made ?? whole
    }
}
