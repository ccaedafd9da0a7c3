import CV4L2
import OnstageCore
import Testing

@testable import OnstageCamera

@Suite("tables: camera")
struct TableTests {
    @Test(
        arguments: [
            ("YUYV", 0x5659_5559), ("NV12", 0x3231_564e), ("MJPG", 0x4750_4a4d), ("Y16", 0x2036_3159),
            ("Y16-BE", 0xa036_3159), ("MJPEG", 0x4750_4a4d), ("BGRA", 0x3432_5241),
        ] as [(String, UInt32)])
    func fourccsAreMadeFromText(text: String, code: UInt32) {
        #expect(PixelFormat(text)?.code == code)
    }

    @Test(arguments: ["", "TOOLONG", "é", "a\u{1}b"])
    func badFourccsAreRefused(text: String) {
        #expect(PixelFormat(text) == nil)
    }

    @Test func fourccsReadBack() {
        #expect(PixelFormat.yuyv.description == "YUYV")
        #expect(PixelFormat("Y16-BE")?.description == "Y16-BE")
        #expect(PixelFormat(code: 0x5659_5559) == .yuyv)
    }

    @Test("V-15: every field is compared with the request")
    func negotiation() {
        var wish = CameraConfiguration(width: 800, height: 600, pixelFormat: .nv12, rate: Hertz(17))
        let set = Negotiation.Setting(width: 640, height: 360, pixelFormat: .yuyv, rate: Hertz(15))
        #expect(
            Negotiation(wish: wish, set: set)
                == .adjusted([
                    "asked for 800x600, 640x360 is set", "asked for NV12, YUYV is set", "asked for 17 Hz, 15 Hz is set",
                ]))
        wish.isExact = true
        guard case .impossible = Negotiation(wish: wish, set: set) else {
            Issue.record("exact must refuse")
            return
        }
        let same = CameraConfiguration(width: 640, height: 360, pixelFormat: .yuyv, rate: Hertz(14.9), isExact: true)
        #expect(Negotiation(wish: same, set: set) == .exact)
        #expect(Negotiation(wish: CameraConfiguration(), set: set) == .exact)
        let rateless = Negotiation.Setting(width: 640, height: 360, pixelFormat: .yuyv, rate: nil)
        #expect(Negotiation(wish: same, set: rateless).reasons.count == 1)
    }

    @Test func layoutsKeepWithinTheirMemory() {
        let nv12 = FrameLayout(width: 6, height: 4, pixelFormat: .nv12, strides: [8], sizes: [48])
        #expect(nv12.planes.map(\.offset) == [0, 32])
        #expect(nv12.leastBytes == [46])
        let m = FrameLayout(width: 6, height: 4, pixelFormat: .nv16m, strides: [8, 8], sizes: [32, 32])
        #expect(m.planes.map(\.memory) == [0, 1])
        // A driver whose size does not hold its own planes: bytes, never read beyond the end.
        let lying = FrameLayout(width: 640, height: 480, pixelFormat: .yuyv, strides: [1280], sizes: [1000])
        #expect(lying.planes.isEmpty && lying.leastBytes == [1000])
        let jpeg = FrameLayout(width: 640, height: 480, pixelFormat: .mjpeg, strides: [0], sizes: [100_000])
        #expect(jpeg.planes.isEmpty && jpeg.leastBytes == [1])
    }

    @Test("V-28: V4L2's defaults are resolved")
    func colors() {
        let plain = ColorEncoding(
            colorspace: V4L2_COLORSPACE_SRGB.rawValue, encoding: 0, quantization: 0, isRGB: false)
        #expect(plain == ColorEncoding(space: "srgb", matrix: "601", isFullRange: false))
        let hd = ColorEncoding(colorspace: V4L2_COLORSPACE_REC709.rawValue, encoding: 0, quantization: 0, isRGB: false)
        #expect(hd.matrix == "709" && !hd.isFullRange)
        #expect(
            ColorEncoding(colorspace: V4L2_COLORSPACE_JPEG.rawValue, encoding: 0, quantization: 0, isRGB: false)
                .isFullRange)
    }

    @Test("V-18: gaps are unsigned, a step back is tolerated, a wrap is nothing special")
    func sequences() {
        var progress = CaptureProgress()
        let start = MonotonicTime(nanoseconds: 0)
        progress.begin(start, CameraConfiguration(), rate: Hertz(30))
        #expect(progress.step(.max - 1, stamp: 1) == .next(missing: 0))
        #expect(progress.step(1, stamp: 2) == .next(missing: 2))
        #expect(progress.good(start) == UInt64(UInt32.max) + 2)
        #expect(progress.step(0, stamp: 3) == .back)
        #expect(progress.good(start) == UInt64(UInt32.max) + 3)
        #expect(progress.step(1, stamp: 4) == .next(missing: 0))
    }

    @Test("V-23: the same frame once more is not a new one; a counter that stands still is told by the stamp")
    func repeats() {
        var progress = CaptureProgress()
        progress.begin(MonotonicTime(nanoseconds: 0), CameraConfiguration(), rate: nil)
        #expect(progress.step(0, stamp: 1) == .next(missing: 0))
        #expect(progress.step(0, stamp: 1) == .again)
        #expect(progress.step(0, stamp: 2) == .next(missing: 0))
    }

    @Test(
        "V-13: JPEG from SOI to EOI, padding tolerated",
        arguments: [
            ([0xff, 0xd8, 0x01, 0xff, 0xd9], true), ([0xff, 0xd8, 0x01, 0xff, 0xd9, 0, 0], true),
            ([0xff, 0xd8, 0x01, 0xff, 0xd9, 0xff, 0xff], true), ([0xff, 0xd8, 0x01, 0x02, 0x03], false),
            ([0x00, 0xd8, 0x01, 0xff, 0xd9], false), ([], false), ([0xff, 0xd8], false),
            ([0xff, 0xd8, 0, 0, 0], false),
        ] as [([UInt8], Bool)])
    func jpegBounds(bytes: [UInt8], isWhole: Bool) {
        #expect(bytes.withUnsafeBytes { JPEGBounds.isWhole($0) } == isWhole)
    }

    @Test(arguments: [
        CameraConfiguration(width: 640), CameraConfiguration(width: 0, height: 0),
        CameraConfiguration(rate: Hertz(0)), CameraConfiguration(buffers: 1), CameraConfiguration(keptFrames: -1),
    ])
    func senselessWishesAreRefusedBeforeAnythingIsTouched(configuration: CameraConfiguration) {
        let camera = PlayedCamera(configuration)
        let error = #expect(throws: DeviceError.self) { try camera.driver.resolve() }
        #expect(error?.kind == .configuration)
        #expect(camera.kernel.calls.isEmpty)
    }
}
