/// How the pixels of a frame lie in memory, by V4L2's four characters ("YUYV", "NV12", "MJPG").
public struct PixelFormat: Hashable, Sendable {
    /// The four characters, the first in the lowest byte; the top bit says big-endian.
    public let code: UInt32

    public init(code: UInt32) {
        self.code = code
    }

    /// The format that `text` names: one to four printable characters, "-BE" behind it for big-endian, or one of the
    /// names that people use ("MJPEG", "BGRA", "I420"); nil for anything else.
    public init?(_ text: String) {
        if let known = Self.names[text.uppercased()] {
            self = known
            return
        }
        let isBigEndian = text.hasSuffix("-BE")
        let bytes = Array(text.utf8.dropLast(isBigEndian ? 3 : 0))
        guard (1...4).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
        var code: UInt32 = isBigEndian ? 1 << 31 : 0
        for index in 0..<4 {
            code |= UInt32(index < bytes.count ? bytes[index] : 0x20) << UInt32(8 * index)
        }
        self.code = code
    }

    /// The format of four characters that are known to be right.
    private init(known text: StaticString) {
        var code: UInt32 = 0
        for index in 0..<4 {
            let byte = index < text.utf8CodeUnitCount ? (text.utf8Start + index).pointee : 0x20
            code |= UInt32(byte) << UInt32(8 * index)
        }
        self.code = code
    }

    /// Y, Cb, Y, Cr: 4:2:2, packed.
    public static let yuyv = PixelFormat(known: "YUYV")
    /// Cb, Y, Cr, Y: 4:2:2, packed.
    public static let uyvy = PixelFormat(known: "UYVY")
    /// A plane of Y, one of Cb and Cr by turns: 4:2:0.
    public static let nv12 = PixelFormat(known: "NV12")
    /// As ``nv12``, Cr first.
    public static let nv21 = PixelFormat(known: "NV21")
    /// As ``nv12``, each plane in memory of its own.
    public static let nv12m = PixelFormat(known: "NM12")
    /// As ``nv21``, each plane in memory of its own.
    public static let nv21m = PixelFormat(known: "NM21")
    /// A plane of Y, one of Cb and Cr by turns: 4:2:2.
    public static let nv16 = PixelFormat(known: "NV16")
    /// As ``nv16``, each plane in memory of its own.
    public static let nv16m = PixelFormat(known: "NM16")
    /// Planes of Y, Cb, Cr: 4:2:0.
    public static let i420 = PixelFormat(known: "YU12")
    /// Planes of Y, Cr, Cb: 4:2:0.
    public static let yv12 = PixelFormat(known: "YV12")
    /// As ``i420``, each plane in memory of its own.
    public static let i420m = PixelFormat(known: "YM12")
    /// Planes of Y, Cb, Cr: 4:2:2.
    public static let i422 = PixelFormat(known: "422P")
    /// Eight bits of grey.
    public static let grey = PixelFormat(known: "GREY")
    /// R, G, B.
    public static let rgb24 = PixelFormat(known: "RGB3")
    /// B, G, R.
    public static let bgr24 = PixelFormat(known: "BGR3")
    /// Sixteen bits, little-endian, red in the highest five.
    public static let rgb565 = PixelFormat(known: "RGBP")
    /// B, G, R, A: what preview sinks get.
    public static let bgra = PixelFormat(known: "AR24")
    /// B, G, R and a byte that means nothing.
    public static let bgrx = PixelFormat(known: "XR24")
    /// R, G, B, A.
    public static let rgba = PixelFormat(known: "AB24")
    /// R, G, B and a byte that means nothing.
    public static let rgbx = PixelFormat(known: "XB24")
    /// One JPEG picture a frame.
    public static let mjpeg = PixelFormat(known: "MJPG")
    /// As ``mjpeg``, with all its tables.
    public static let jpeg = PixelFormat(known: "JPEG")

    /// Whether a frame is a JPEG picture, as long as it says and not as its size says.
    public var isJPEG: Bool { self == .mjpeg || self == .jpeg }

    private static let names: [String: PixelFormat] = [
        "MJPEG": .mjpeg, "BGRA": .bgra, "BGRX": .bgrx, "RGBA": .rgba, "RGBX": .rgbx, "I420": .i420, "YUY2": .yuyv,
        "RGB24": .rgb24, "BGR24": .bgr24, "NV12M": .nv12m, "NV21M": .nv21m, "NV16M": .nv16m, "RGB565": .rgb565,
        "YUYV": .yuyv, "UYVY": .uyvy, "NV12": .nv12, "NV21": .nv21, "NV16": .nv16, "YV12": .yv12, "GREY": .grey,
        "MJPG": .mjpeg,
    ]
}

extension PixelFormat: CustomStringConvertible {
    /// The four characters without blanks at their end, "-BE" behind them for big-endian.
    public var description: String {
        var text = ""
        for index in 0..<4 {
            let byte = UInt8(truncatingIfNeeded: code >> UInt32(8 * index)) & (index == 3 ? 0x7f : 0xff)
            text.unicodeScalars.append(Unicode.Scalar((0x20...0x7e).contains(byte) ? byte : 0x3f))
        }
        while text.hasSuffix(" ") { text.removeLast() }
        return code & 1 << 31 == 0 ? text : text + "-BE"
    }
}
