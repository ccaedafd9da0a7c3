import CV4L2
import Glibc
import OnstageCore
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstageCamera

@Suite("scripts: frames lent as dma-bufs, against a played kernel")
struct ExportTests {
    /// What stands for the exported memory, by a name that no other test has.
    private let folder = Scratch()
    private func exporting(_ configuration: CameraConfiguration = CameraConfiguration()) -> PlayedCamera {
        let camera = PlayedCamera(configuration)
        let path = folder.file("memory")
        camera.kernel.state.withLock { $0.exportPath = path }
        return camera
    }
    /// Descriptors of exported memory that are open now.
    private var left: Int { Bench.open(folder.path).count }
    private func exports(_ camera: PlayedCamera) -> Int { camera.kernel.calls.count { $0 == .exportBuffer } }

    @Test("nobody who has not asked pays a call; who asks has each buffer exported once in an acquire")
    func once() throws {
        let camera = exporting()
        let lent = Log<Bool>()
        let sink = try camera.sinks.add(.inline) { lent.append($0.withDMABuffer { _ in } != nil) }
        try camera.acquire()
        try camera.frames([0, 1, 2, 3])
        #expect(exports(camera) == 0 && lent.entries == [false, false, false, false])
        camera.release()
        sink.remove()
        let planes = Log<DMABuffer.Plane>()
        try camera.sinks.add(.inline, as: .dmaBuffer) { frame in
            _ = frame.withDMABuffer { buffer in
                if buffer.drmFormat == buffer.pixelFormat.code, buffer.planeCount == 1 {
                    planes.append(buffer.plane(0))
                }
            }
        }
        for _ in 0..<2 {
            let before = exports(camera)
            let acquired = try camera.acquire()
            #expect(acquired.notes.isEmpty, "\(acquired.notes)")
            try camera.frames([0, 1, 2, 3])
            let buffers = exports(camera) - before
            #expect(buffers == 2 && left == buffers)
            camera.release()
            #expect(left == 0 && camera.kernel.isClean)
        }
        #expect(planes.count == 8)
        #expect(planes.entries.allSatisfy { $0.stride == 1280 && $0.size == 640 * 360 * 2 && $0.offset == 0 })
    }

    @Test("a sink that comes after the acquire has them too")
    func late() throws {
        let camera = exporting()
        try camera.acquire()
        try camera.frames([0])
        let lent = Log<Bool>()
        try camera.sinks.add(.inline, as: .dmaBuffer) { lent.append($0.withDMABuffer { _ in } != nil) }
        try camera.frames([1, 2])
        #expect(lent.entries == [true, true])
        #expect(exports(camera) == 2)
        camera.release()
        #expect(left == 0)
    }

    @Test("a driver that cannot: a note says why, and frames come without", arguments: [false, true])
    func unable(isLate: Bool) throws {
        let camera = PlayedCamera()
        let frames = Log<Bool>()
        func add() throws {
            try camera.sinks.add(.inline, as: .dmaBuffer) { frame in
                frames.append(frame.withDMABuffer { _ in } == nil && frame.withUnsafeBytes { $0[0] == 0x80 })
            }
        }
        if !isLate { try add() }
        let acquired = try camera.acquire()
        if isLate { try add() }
        try camera.frames([0, 1, 2])
        let told = camera.reports.entries.compactMap { if case .note(let text) = $0 { text } else { nil } }
        let notes = acquired.notes + told
        #expect(notes.filter { $0.contains("dma-bufs") && $0.contains("ENOTTY from VIDIOC_EXPBUF") }.count == 1)
        #expect(frames.entries == [true, true, true])
        #expect(exports(camera) == 1)
        camera.release()
        #expect(camera.kernel.isClean)
    }

    @Test("a failure half way closes what was made; a camera that is gone is absent")
    func halfWay() throws {
        for errno in [Errno.EMFILE, Errno.EINVAL, Errno.ENODEV] {
            let camera = exporting()
            camera.kernel.fail(.exportBuffer, errno, after: 1)
            try camera.sinks.add(.inline, as: .dmaBuffer) { _ in }
            if errno == Errno.ENODEV {
                let error = #expect(throws: DeviceError.self) { try camera.acquire() }
                #expect(error?.kind == .absent)
            } else {
                #expect(try camera.acquire().notes.contains { $0.contains("dma-bufs") })
                #expect(left == 0)
                camera.release()
            }
            #expect(left == 0 && camera.kernel.isClean)
        }
    }

    @Test("frames that libv4l2 makes have none, and say so")
    func converted() throws {
        let library = PlayedKernel(isConverting: true)
        library.state.withLock { $0.formats = ["RGB3"] }
        let camera = PlayedCamera(CameraConfiguration(pixelFormat: .rgb24), library: library)
        try camera.sinks.add(.inline, as: .dmaBuffer) { _ in }
        #expect(try camera.acquire().notes.contains { $0.contains("dma-bufs: libv4l2") })
        #expect(!library.calls.contains(.exportBuffer))
        camera.release()
    }

    @Test("a reader that a release comes upon: its descriptor is good until it returns, and then closed")
    func readerAtRelease() throws {
        let camera = exporting(CameraConfiguration(keptFrames: 1))
        let kept = Log<KeptFrame>()
        try camera.sinks.add(.inline, as: .dmaBuffer) { if kept.count == 0 { kept.append($0.keep()) } }
        try camera.acquire()
        try camera.frames([0, 1])
        let frame = try #require(kept.entries.first)
        let wasOpen = frame.withFrame { frame in
            frame.withDMABuffer { buffer in
                camera.release()
                return left == 1 && fcntl(buffer.plane(0).descriptor, F_GETFD) >= 0
            }
        }
        #expect(wasOpen == true)
        #expect(left == 0)
        let isOver = frame.withFrame { $0.withDMABuffer { _ in } == nil }
        #expect(isOver)
    }

    @Test("descriptors are not for children")
    func closeOnExec() throws {
        let camera = exporting()
        let flags = Log<Int32>()
        try camera.sinks.add(.inline, as: .dmaBuffer) { frame in
            _ = frame.withDMABuffer { flags.append(fcntl($0.plane(0).descriptor, F_GETFD)) }
        }
        try camera.acquire()
        try camera.frames([0])
        camera.release()
        #expect(flags.entries == [FD_CLOEXEC])
    }

    @Test("a sensitive camera's memory is zeros before an importer is left alone with it", arguments: [false, true])
    func sensitive(isSensitive: Bool) throws {
        let camera = exporting(CameraConfiguration(isSensitive: isSensitive))
        try camera.sinks.add(.inline, as: .dmaBuffer) { _ in }
        try camera.acquire()
        try camera.frames([0, 1, 2])
        camera.release()
        #expect(camera.kernel.state.withLock { $0.lastBytes } == (isSensitive ? [0, 0] : [0x80, 0x80]))
    }

    @Test("a made up camera has none, and says so once in an acquire", arguments: [false, true])
    func synthetic(isLate: Bool) throws {
        let sinks = FrameSinks()
        let told = Log<String>()
        let driver = SyntheticCameraDriver(
            configuration: CameraConfiguration(), sinks: sinks,
            report: { if case .note(let text) = $0 { told.append(text) } }, pace: .asFastAsTheyCome)
        let turner = try Turner(driver)
        if !isLate { try sinks.add(.inline, as: .dmaBuffer) { _ in } }
        let acquired = try turner.acquire()
        if isLate { try sinks.add(.inline, as: .dmaBuffer) { _ in } }
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 2 })
        turner.release()
        #expect((acquired.notes + told.entries).count { $0.contains("dma-bufs: they are made up") } == 1)
        #expect(told.count == (isLate ? 1 : 0))
    }

    @Test(
        "DRM's names",
        arguments: [
            ("YUYV", "YUYV"), ("NM12", "NV12"), ("NM16", "NV16"), ("422P", "YU16"), ("RGB3", "BG24"), ("BGR3", "RG24"),
            ("RGBP", "RG16"), ("AR24", "AR24"), ("XB24", "XB24"), ("GREY", "R8"), ("MJPG", nil), ("Y16 ", nil),
        ] as [(String, String?)])
    func names(format: String, drm: String?) throws {
        #expect(try #require(PixelFormat(format)).drmCode == drm.flatMap { PixelFormat($0)?.code })
    }
}
