import CJPEG
import OnstageCore
import Synchronization
import Testing

@testable import OnstageCamera

@Suite("tables: how a picture is cut, scaled, turned and mirrored")
struct ShapeTests {
    @Test(
        "sizes",
        arguments: [
            // wish, rotation in degrees, what comes out of 640 × 360
            ((320, 320), .fit, 0, (320, 180)), ((320, 320), .fit, 90, (180, 320)), ((1280, 720), .fit, 0, (1280, 720)),
            ((100, 1000), .fit, 0, (100, 56)), ((320, 320), .fill, 0, (320, 320)), ((100, 300), .fill, 90, (100, 300)),
            ((640, 360), .fit, 0, (640, 360)), ((1, 1), .fit, 0, (1, 1)), ((640, 360), .fill, 180, (640, 360)),
        ] as [((Int, Int), FrameSink.Pixels.Scaling, Int, (Int, Int))])
    func sizes(wish: (Int, Int), scaling: FrameSink.Pixels.Scaling, degrees: Int, result: (Int, Int)) {
        let pixels = FrameSink.Pixels.bgra(width: wish.0, height: wish.1, scaling: scaling, rotation: .upright)
        let shape = PixelShape(pixels, width: 640, height: 360, upright: degrees)
        #expect((shape.finalWidth, shape.finalHeight) == result)
        #expect(shape.left >= 0 && shape.left + shape.cutWidth <= 640)
        #expect(shape.top >= 0 && shape.top + shape.cutHeight <= 360)
        if scaling == .fit { #expect(shape.cutWidth == 640 && shape.cutHeight == 360) }
    }

    /// 4 × 2 pixels whose blue is 10 × row + column.
    private func picture() -> ConvertedPixels {
        let pixels = ConvertedPixels(width: 4, height: 2)
        for row in 0..<2 {
            for column in 0..<4 {
                for byte in 0..<4 { pixels.pixels[row * 16 + column * 4 + byte] = UInt8(row * 10 + column) }
            }
        }
        return pixels
    }

    private func blue(_ pixels: ConvertedPixels) -> [UInt8] {
        (0..<pixels.width * pixels.height).map { pixels.pixels[$0 * 4] }
    }

    @Test(
        "each pixel is where it belongs",
        arguments: [
            (.quarter, false, 2, [10, 0, 11, 1, 12, 2, 13, 3]), (.half, false, 4, [13, 12, 11, 10, 3, 2, 1, 0]),
            (.threeQuarters, false, 2, [3, 13, 2, 12, 1, 11, 0, 10]), (.none, true, 4, [3, 2, 1, 0, 13, 12, 11, 10]),
            (.quarter, true, 2, [0, 10, 1, 11, 2, 12, 3, 13]), (.upright, false, 4, [13, 12, 11, 10, 3, 2, 1, 0]),
        ] as [(FrameSink.Pixels.Rotation, Bool, Int, [UInt8])])
    func turned(rotation: FrameSink.Pixels.Rotation, isMirrored: Bool, width: Int, expected: [UInt8]) throws {
        let wish = FrameSink.Pixels.bgra(rotation: rotation, isMirrored: isMirrored)
        let shape = PixelShape(wish, width: 4, height: 2, upright: 180)
        let made = try ConversionPool().make(shape, of: picture())
        #expect(made.width == width && made.width == shape.finalWidth && made.height == shape.finalHeight)
        #expect(blue(made) == expected)
    }

    @Test("filling cuts the middle out")
    func cut() throws {
        let shape = PixelShape(.bgra(width: 2, height: 2, scaling: .fill), width: 4, height: 2, upright: 0)
        #expect(blue(try ConversionPool().make(shape, of: picture())) == [1, 2, 11, 12])
    }

    @Test("a picture keeps its colours through JPEG and PNG, and its size")
    func encoded() throws {
        let pixels = ConvertedPixels(width: 64, height: 48)
        for index in 0..<64 * 48 {
            let isLeft = index % 64 < 32
            for (byte, value) in [UInt8(isLeft ? 10 : 200), 120, isLeft ? 240 : 30, 255].enumerated() {
                pixels.pixels[index * 4 + byte] = value
            }
        }
        let jpeg = try PictureEncoder.encode(pixels, .jpeg(quality: 95))
        #expect(jpeg.withUnsafeBytes { JPEGBounds.isWhole($0) && JPEGBounds.hasTables($0) })
        let back = ConvertedPixels(width: 64, height: 48)
        var why = [CChar](repeating: 0, count: 200)
        #expect(cjpeg_decompress(jpeg, jpeg.count, back.pixels, Int32(back.stride), 64, 48, &why) == 0)
        for index in [0, 20, 63, 64 * 47 + 40] {
            for byte in 0..<3 {
                #expect(abs(Int(back.pixels[index * 4 + byte]) - Int(pixels.pixels[index * 4 + byte])) < 8)
            }
        }
        let png = try PictureEncoder.encode(pixels, .png)
        #expect(png.prefix(8) == [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        #expect(throws: ConversionError.self) { try PictureEncoder.encode(pixels, .jpeg(quality: 0)) }
    }

    @Test("V-13: Huffman tables are found, or seen to be missing, without reading beyond the end")
    func tables() throws {
        let pixels = ConvertedPixels(width: 16, height: 16)
        let jpeg = try PictureEncoder.encode(pixels, .jpeg(quality: 50))
        // Without its DHT segments, as many cameras give it.
        var bare: [UInt8] = []
        var at = 0
        while at < jpeg.count {
            if jpeg[at] == 0xff, at + 3 < jpeg.count, jpeg[at + 1] == 0xc4 {
                at += 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
            } else {
                bare.append(jpeg[at])
                at += 1
            }
        }
        #expect(bare.count < jpeg.count)
        #expect(bare.withUnsafeBytes { JPEGBounds.isWhole($0) && !JPEGBounds.hasTables($0) })
        for count in 0..<jpeg.count {
            _ = Array(jpeg[..<count]).withUnsafeBytes { (JPEGBounds.isWhole($0), JPEGBounds.hasTables($0)) }
        }
        let padded = jpeg + [0, 0, 0xff, 0xff, 0]
        #expect(padded.withUnsafeBytes { JPEGBounds.end($0) } == jpeg.count)
    }
}
