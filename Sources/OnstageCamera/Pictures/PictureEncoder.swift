internal import CJPEG
internal import CPNG

/// Pixels as JPEG or PNG.
enum PictureEncoder {
    /// - Throws: when the library is missing or refuses.
    static func encode(_ pixels: ConvertedPixels, _ encoding: PictureEncoding) throws(ConversionError) -> [UInt8] {
        let (width, height, stride) = (Int32(pixels.width), Int32(pixels.height), Int32(pixels.stride))
        switch encoding {
        case .jpeg(let quality):
            guard (1...100).contains(quality) else { throw ConversionError("a JPEG quality of \(quality): 1 to 100") }
            guard cjpeg_load() == 0 else { throw ConversionError(String(cString: cjpeg_missing())) }
            return try fill(cjpeg_bound(width, height)) { to, bound, why in
                cjpeg_compress(pixels.pixels, stride, width, height, Int32(quality), to, bound, why)
            }
        case .png:
            guard cpng_load() == 0 else { throw ConversionError(String(cString: cpng_missing())) }
            return try fill(cpng_bound(width, height)) { to, bound, why in
                cpng_compress(pixels.pixels, stride, width, height, to, bound, why)
            }
        }
    }

    private static func fill(
        _ bound: Int, _ encode: (UnsafeMutablePointer<UInt8>?, Int, UnsafeMutablePointer<CChar>?) -> Int
    ) throws(ConversionError) -> [UInt8] {
        var why = [CChar](repeating: 0, count: 200)
        var size = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            size = encode(buffer.baseAddress, bound, &why)
            count = size
        }
        guard size > 0 else {
            throw ConversionError(
                "the picture cannot be encoded: "
                    + String(decoding: why.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return bytes
    }
}
