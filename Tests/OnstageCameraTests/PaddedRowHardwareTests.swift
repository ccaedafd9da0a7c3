import CV4L2
import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstageCamera

@Suite("hardware: vivid's pictures with padding behind each row", .enabled(if: Bench.hasVivid), .serialized)
struct PaddedRowHardwareTests {
    /// vivid draws with any stride that it is asked for; a camera that pads its rows does it by itself.
    private struct PaddingKernel: VideoKernel {
        /// Bytes behind each row of each memory.
        static let padding: UInt32 = 192
        private let raw = RawKernel()
        var isConverting: Bool { false }
        func open(_ node: String) -> Int32 { raw.open(node) }
        func close(_ descriptor: Int32) { raw.close(descriptor) }
        func call(_ descriptor: Int32, _ call: VideoCall, _ argument: UnsafeMutableRawPointer) -> Int32 {
            guard call == .setFormat else { return raw.call(descriptor, call, argument) }
            let format = argument.assumingMemoryBound(to: v4l2_format.self)
            let answer = raw.call(descriptor, .tryFormat, argument)
            guard answer >= 0 else { return answer }
            if format.pointee.type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.rawValue {
                withUnsafeMutableBytes(of: &format.pointee.fmt.pix_mp.plane_fmt) { bytes in
                    for plane in bytes.bindMemory(to: v4l2_plane_pix_format.self).indices
                    where plane < Int(format.pointee.fmt.pix_mp.num_planes) {
                        bytes.bindMemory(to: v4l2_plane_pix_format.self)[plane].bytesperline += Self.padding
                    }
                }
            } else {
                format.pointee.fmt.pix.bytesperline += Self.padding
            }
            return raw.call(descriptor, .setFormat, argument)
        }
        func map(_ descriptor: Int32, length: Int, offset: Int64, fault: inout Int32) -> UnsafeMutableRawPointer? {
            raw.map(descriptor, length: length, offset: offset, fault: &fault)
        }
        func unmap(_ address: UnsafeMutableRawPointer, length: Int) -> Int32 { raw.unmap(address, length: length) }
        func detach(_ address: UnsafeMutableRawPointer, length: Int, copying: Bool) -> Int32 {
            raw.detach(address, length: length, copying: copying)
        }
    }

    /// - Parameter rowBytes: of pixels in a row of the first plane.
    private func check(_ format: String, rowBytes: Int) throws {
        Bench.control("test_pattern=0,horizontal_movement=3,osd_text_mode=2")
        let sinks = FrameSinks()
        let pictures = Log<Picture>()
        let failures = Log<ConversionError>()
        try sinks.add(.inline) { frame in
            do throws(ConversionError) {
                pictures.append(try frame.picture(as: .bgra))
            } catch {
                failures.append(error)
            }
        }
        let driver = CameraDriver(
            configuration: CameraConfiguration(
                selector: .driver("vivid"), width: 640, height: 360, pixelFormat: PixelFormat(format), isExact: true),
            sinks: sinks, report: { _ in }, kernel: PaddingKernel())
        let turner = try Turner(driver)
        let acquired = try turner.acquire()
        defer { turner.release() }
        let stride = try #require(acquired.format.first { $0.name == "stride" }).value
        #expect(stride == .integer(Int64(rowBytes) + Int64(PaddingKernel.padding)), "\(format)")
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 0 })
        let picture = try #require(pictures.entries.first, "\(format): \(failures.entries)")
        // A stride that is not heeded shifts each row against the one above it.
        #expect(ColorBars.missing(in: picture, rows: [0, 1, 90, 180, 359]) == [], "\(format)")
    }

    @Test("V-28: the colour bars in their colours")
    func singlePlanar() throws {
        for (format, bytes) in [
            ("YUYV", 1280), ("NV12", 640), ("YU12", 640), ("RGB3", 1920), ("RGBP", 1280),
        ] {
            try check(format, rowBytes: bytes)
        }
    }

    @Test("V-16: the same where planes have memory of their own")
    func multiPlanar() throws {
        defer { #expect(Bench.load()) }
        try #require(Bench.load("multiplanar=2"))
        for (format, bytes) in [("NM16", 640), ("YM12", 640)] {
            try check(format, rowBytes: bytes)
        }
    }
}
