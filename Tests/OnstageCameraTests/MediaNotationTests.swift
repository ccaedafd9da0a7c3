import OnstageCore
import Testing

@testable import OnstageCamera

@Suite("tables: media-ctl's notation")
struct MediaNotationTests {
    @Test("links as people write them")
    func links() throws {
        let one = try MediaPipeline.links(#""Sensor A":0 -> "Debayer A":1 [1]"#)
        #expect(
            one == [
                MediaPipeline.Link(
                    source: .init(entity: .name("Sensor A"), index: 0),
                    sink: .init(entity: .name("Debayer A"), index: 1), isEnabled: true)
            ])
        let several = try MediaPipeline.links(#" 'a' : 2->7:0[0] , "b":0 -> "c":0 [ 1 ] "#)
        #expect(several.map(\.description) == [#""a":2 -> 7:0 [0]"#, #""b":0 -> "c":0 [1]"#])
    }

    @Test("formats, rectangles and intervals")
    func formats() throws {
        let all = try MediaPipeline.formats(
            #""s":0 [fmt:SRGGB8/640x480 field:none colorspace:srgb xfer:none ycbcr:601 quantization:full-range @1/30], "#
                + #""s":1 [fmt:RGB888_1X24/300x700, crop:(-1,2)/400x150 compose:(0,0)/8x6], 4:0 [(1,2)/3x4], "s":2[fmt:0x3001/1x1]"#
        )
        var format = MediaPipeline.BusFormat(code: 0x3014, width: 640, height: 480, field: 1, colorspace: 8)
        (format.transfer, format.encoding, format.quantization) = (5, 1, 1)
        #expect(all[0].format == format && all[0].interval == .init(numerator: 1, denominator: 30))
        #expect(all[0].crop == nil && all[0].pad == .init(entity: .name("s"), index: 0))
        #expect(all[1].format == .init(code: 0x100a, width: 300, height: 700))
        #expect(all[1].crop == .init(left: -1, top: 2, width: 400, height: 150))
        #expect(all[1].compose == .init(left: 0, top: 0, width: 8, height: 6))
        #expect(all[2].crop == .init(left: 1, top: 2, width: 3, height: 4) && all[2].format == nil)
        #expect(all[2].pad == .init(entity: .number(4), index: 0))
        #expect(all[3].format?.description == "SBGGR8_1X8/1x1")
    }

    @Test(
        "what is wrong with a link, and where",
        arguments: [
            ("", 1, "an entity is expected: its name in quotes, or its number, and the text ends"),
            ("Sensor", 1, "an entity is expected: its name in quotes, or its number"),
            ("\"a", 1, "the quote that ends the name is missing"),
            ("\"\":0", 2, "the name of an entity is expected"),
            ("\"a\" 0", 5, ": is expected"),
            ("\"a\":x", 5, "the number of a pad is expected"),
            ("\"a\":70000", 5, "the number of a pad is expected"),
            ("\"a\":0 => \"b\":0 [1]", 7, "-> is expected"),
            ("\"a\":0 -> \"b\":0", 15, "[ is expected, and the text ends"),
            ("\"a\":0 -> \"b\":0 [2]", 17, "1 (on) or 0 (off) is expected"),
            ("\"a\":0 -> \"b\":0 [1", 18, "] is expected, and the text ends"),
            ("\"a\":0 -> \"b\":0 [1] x", 20, "\"x\" is not expected here"),
            (
                "\"a\":0 -> \"b\":0 [1],", 20,
                "an entity is expected: its name in quotes, or its number, and the text ends"
            ),
            ("\"0123456789012345678901234567890x\":0", 2, "no entity has a name as long"),
        ])
    func badLinks(text: String, position: Int, message: String) {
        let error = #expect(throws: MediaNotationError.self) { try MediaPipeline.links(text) }
        #expect(error == MediaNotationError(position: position, message: message), "\(text)")
    }

    @Test(
        "what is wrong with a format, and where",
        arguments: [
            ("1:0 []", 6, "a format, a rectangle or an interval is expected"),
            ("1:0 [fmt:/1x1]", 10, "the code of a format is expected"),
            ("1:0 [fmt:SBGGR9/1x1]", 10, "\"SBGGR9\" is no format"),
            ("1:0 [fmt:Y8 1x1]", 13, "/ is expected"),
            ("1:0 [fmt:Y8/0x1]", 13, "a width of 1 to 65535 is expected"),
            ("1:0 [fmt:Y8/8x]", 15, "a height of 1 to 65535 is expected"),
            (
                "1:0 [fmt:Y8/8x8 xfer:odd]", 22,
                "\"odd\" is none of default, 709, srgb, oprgb, smpte240m, none, dcip3, smpte2084"
            ),
            ("1:0 [field:none]", 12, "it belongs behind a format"),
            ("1:0 [crop:0,0/1x1]", 11, "( is expected"),
            ("1:0 [crop:(0,0)/1]", 18, "x is expected"),
            ("1:0 [@0/30]", 7, "a number above 0 is expected"),
            ("1:0 [rate:30]", 6, "fmt:, crop:, compose:, @ or ] is expected"),
            ("1:0 [fmt:Y8/8x8", 16, "fmt:, crop:, compose:, @ or ] is expected, and the text ends"),
        ])
    func badFormats(text: String, position: Int, message: String) {
        let error = #expect(throws: MediaNotationError.self) { try MediaPipeline.formats(text) }
        #expect(error?.position == position && error?.message == message, "\(text): \(String(describing: error))")
    }

    @Test("every name has its number, and no two names share one")
    func names() {
        #expect(MediaBusFormat.code("UYVY8_1X16") == 0x200f && MediaBusFormat.code("UYVY") == 0x200f)
        #expect(MediaBusFormat.code("SRGGB10") == MediaBusFormat.code("SRGGB10_1X10"))
        #expect(MediaBusFormat.code("JPEG_1X8") == 0x4001 && MediaBusFormat.code("0xzz") == nil)
        #expect(MediaBusFormat.name(0x3001) == "SBGGR8_1X8" && MediaBusFormat.name(0xffff) == "0xffff")
    }
}
