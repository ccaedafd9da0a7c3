import CV4L2
import Glibc
import OnstageCore
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstageCamera

@Suite("scripts: a played camera behind a played media device")
struct PipelineCameraTests {
    private let media = PlayedMedia()
    private func camera() throws -> PlayedCamera {
        PlayedCamera(
            CameraConfiguration(
                pipeline: try MediaPipeline(
                    links: [#""sensor":0 -> "other":0 [1]"#, #""filter":1 -> "capture":0 [1]"#],
                    formats: [#""sensor":0 [fmt:SBGGR8_1X8/640x480]"#])), media: media)
    }
    private var flags: [UInt32] { media.state.withLock { $0.links.map(\.flags) } }
    private func notes(_ camera: PlayedCamera) -> [String] {
        camera.reports.entries.compactMap { if case .note(let text) = $0 { text } else { nil } }
    }

    @Test("V-02: while another has the camera's buffers, nothing of its pipeline is touched")
    func busy() throws {
        let camera = try camera()
        camera.kernel.fail(.requestBuffers, Errno.EBUSY)
        let error = #expect(throws: DeviceError.self) { try camera.acquire() }
        #expect(error?.kind == .inUse && error?.operation == "VIDIOC_REQBUFS" && error?.holders.isEmpty == false)
        #expect(media.writes == [] && media.isClosed)
        #expect(!camera.kernel.calls.contains(.setFormat) && camera.kernel.isClean)
        try camera.acquire()
        #expect(media.writes.contains("link 1:0 -> 3:0 [1]"))
        camera.release()
        #expect(media.isClosed && camera.kernel.isClean)
    }

    @Test("links that the other cameras of its media device hold: who has those is named")
    func holders() throws {
        let camera = try camera()
        let other = open(media.tree.file("dev/video0"), O_RDONLY)
        defer { close(other) }
        media.state.withLock { $0.fault = (.setLink, Errno.EBUSY, 0) }
        let error = #expect(throws: DeviceError.self) { try camera.acquire() }
        #expect(error?.kind == .inUse && error?.operation == "MEDIA_IOC_SETUP_LINK")
        #expect(error?.holders.map(\.pid) == [getpid()])
    }

    @Test(
        "a start that fails because another has turned a link is tried again; one whose links stand is not",
        arguments: [nil, 1] as [Int?], [false, true])
    func meddled(link: Int?, isRestart: Bool) throws {
        let camera = try camera()
        if isRestart {
            try camera.acquire()
            try camera.frames([0])
        }
        media.state.withLock { $0.meddled = link }
        camera.kernel.fail(.streamOn, Errno.EPIPE)
        let error = #expect(throws: DeviceError.self) {
            if isRestart {
                camera.advance(.seconds(60))
                try camera.turn()
            } else {
                try camera.acquire()
            }
        }
        #expect(error?.kind == (link == nil ? .configuration : .inUse))
        #expect(error?.operation == "VIDIOC_STREAMON" && error?.errno == Errno.EPIPE)
        if link != nil { #expect(error?.reason?.contains(#""sensor":0 -> "other":0 [1] was changed"#) == true) }
        if isRestart { camera.release() }
        #expect(media.isClosed && camera.kernel.isClean)
    }

    @Test("a link that cannot be put back at a release is at the next one")
    func stuck() throws {
        let before = flags
        let camera = try camera()
        try camera.acquire()
        media.state.withLock { $0.fault = (.setLink, Errno.EBUSY, 0) }
        camera.release()
        #expect(notes(camera).count == 1 && flags != before)
        media.state.withLock { $0.fault = nil }
        // Nor while another has the camera.
        let (stuck, _) = (flags, media.writes)
        camera.kernel.fail(.requestBuffers, Errno.EBUSY)
        _ = #expect(throws: DeviceError.self) { try camera.acquire() }
        #expect(flags == stuck && media.writes == [])
        try camera.acquire()
        camera.release()
        #expect(notes(camera).count == 1 && flags == before)
        #expect(media.isClosed && camera.kernel.isClean)
    }
}
