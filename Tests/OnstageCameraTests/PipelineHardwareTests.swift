import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@testable import OnstageCamera

@Suite("hardware: vimc, a camera behind a media controller", .enabled(if: Bench.hasVimc), .serialized)
struct PipelineHardwareTests {
    private static let links = [#""Debayer A":1 -> "Scaler":0 [0], "Debayer B":1 -> "Scaler":0 [1]"#]
    private static func formats(_ size: String) -> [String] {
        [
            #""Sensor B":0 [fmt:SBGGR8_1X8/\#(size)]"#, #""Debayer B":1 [fmt:RGB888_1X24/\#(size)]"#,
            #""Scaler":0 [crop:(0,0)/\#(size)], "Scaler":1 [fmt:RGB888_1X24/\#(size)]"#,
        ]
    }

    private func camera(
        _ size: String, isExact: Bool = true, sinks: FrameSinks = FrameSinks()
    ) throws -> (CameraDriver, Turner) {
        let driver = CameraDriver(
            configuration: CameraConfiguration(
                selector: CameraSelector("RGB/YUV Capture"), width: 320, height: 240, pixelFormat: .rgb24,
                isExact: isExact,
                pipeline: try MediaPipeline(device: "platform:vimc", links: Self.links, formats: Self.formats(size))),
            sinks: sinks, report: { _ in })
        return (driver, try Turner(driver))
    }

    @Test("the colour bars of its sensor in their colours; the formats of feeding pads are handed on")
    func pictures() throws {
        // The sensor feeds this node too, always: the two must agree before either streams.
        let other = try #require(CameraFinder().all().first { $0.identities.contains("Raw Capture 1") })
        let set = Shell.run("v4l2-ctl -d \(other.node) -v width=320,height=240,pixelformat=BA81")
        #expect(set.status == 0, "\(set.output)")
        let sinks = FrameSinks()
        let pictures = Log<Picture>()
        try sinks.add(.inline) { frame in
            // None is a failure below.
            if pictures.count == 0, let picture = try? frame.picture(as: .bgra) { pictures.append(picture) }
        }
        let (driver, turner) = try camera("320x240", sinks: sinks)
        let acquired = try turner.acquire()
        #expect(acquired.notes.isEmpty, "\(acquired.notes)")
        #expect(try turner.turn(for: .seconds(20)) { driver.counts.delivered > 2 })
        turner.release()
        let picture = try #require(pictures.entries.first)
        #expect(ColorBars.missing(in: picture, rows: [120]) == [])
        #expect(Bench.heldNodes.isEmpty && Bench.open("/dev/media").isEmpty && Bench.open("/dev/v4l-subdev").isEmpty)
    }

    @Test("a size that its parts cannot have is refused where exactly it is wanted")
    func exact() throws {
        let links = { Shell.run("media-ctl -d platform:vimc -p | grep -E 'entity|<-|->'").output }
        let before = links()
        #expect(before.contains("ENABLED"))
        let (_, turner) = try camera("8x8")
        let error = #expect(throws: DeviceError.self) { try turner.acquire() }
        #expect(error?.kind == .configuration && error?.operation == "VIDIOC_SUBDEV_S_FMT")
        #expect(error?.reason?.contains("asked for SBGGR8_1X8/8x8") == true)
        #expect(Bench.heldNodes.isEmpty && Bench.open("/dev/media").isEmpty)
        // Two were changed by then.
        #expect(links() == before)
    }

    @Test("found by every form of its name, and only by whoever brings its pipeline")
    func identities() throws {
        let all = CameraFinder().all()
        let camera = try #require(all.first { $0.identities.contains("RGB/YUV Capture") })
        #expect(!camera.supported && camera.needsPipeline)
        for name in ["RGB/YUV Capture", camera.identity, camera.node] {
            #expect(try CameraFinder().resolve(CameraSelector(name), hasPipeline: true).node == camera.node, "\(name)")
            let error = #expect(throws: DeviceError.self) { try CameraFinder().resolve(CameraSelector(name)) }
            #expect(error?.kind == .configuration && error?.reason == "needs a media pipeline", "\(name)")
        }
    }
}
