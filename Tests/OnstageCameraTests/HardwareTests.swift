import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstageCamera

@Suite("hardware: vivid", .enabled(if: Bench.hasVivid), .serialized)
struct HardwareTests {
    private func camera(
        _ configuration: CameraConfiguration = CameraConfiguration(
            selector: CameraSelector("driver vivid"), width: 640, height: 360, pixelFormat: .yuyv, rate: Hertz(25)),
        sinks: FrameSinks = FrameSinks(), reports: Log<DriverReport> = Log()
    ) throws -> (CameraDriver, Turner) {
        let driver = CameraDriver(configuration: configuration, sinks: sinks, report: { reports.append($0) })
        return (driver, try Turner(driver))
    }

    @Test("V-01: 50 times acquire, first frame, release: nothing is held, somebody else can stream")
    func cycles() throws {
        let (driver, turner) = try camera()
        var descriptors = 0
        for cycle in 0..<50 {
            let before = driver.counts.delivered
            _ = try turner.acquire()
            #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > before })
            let detail = turner.release()
            #expect(detail?.released != nil)
            #expect(Bench.heldNodes.isEmpty)
            if cycle == 0 { descriptors = Bench.descriptorCount }
        }
        #expect(Bench.descriptorCount == descriptors)
        let other = Shell.run("timeout 20 v4l2-ctl -d /dev/video0 --stream-mmap --stream-count=2")
        #expect(other.status == 0, "\(other.output)")
    }

    @Test("V-02: busy is said with who has it, and leaves nothing; the next try has it")
    func busy() throws {
        // It writes a sign for each frame: the first one is waited for, the others are read away.
        Shell.run(
            """
            mkfifo /tmp/frames /tmp/first
            v4l2-ctl -d /dev/video0 --stream-mmap >/tmp/frames 2>&1 & echo $! >/tmp/holder
            { head -c 1 >/tmp/first; cat >/dev/null; } </tmp/frames 2>/dev/null &
            head -c 1 /tmp/first
            """)
        let (driver, turner) = try camera()
        let error = #expect(throws: DeviceError.self) { try turner.acquire() }
        #expect(error?.kind == .inUse)
        #expect(error?.holders.first?.program == "v4l2-ctl", "\(error.map(String.init(describing:)) ?? "")")
        #expect(Bench.heldNodes.isEmpty)
        Shell.run("kill -9 $(cat /tmp/holder)")
        let end = MonotonicTime.now + .seconds(10)
        while (try? turner.acquire()) == nil, MonotonicTime.now < end {}  // until it has let go
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 0 })
        turner.release()
        #expect(Bench.heldNodes.isEmpty)
    }

    @Test("V-11: vivid's error flags are counted and never delivered")
    func errorFlags() throws {
        let (driver, turner) = try camera()
        _ = try turner.acquire()
        for _ in 0..<5 {
            let before = driver.counts.delivered
            #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > before + 1 })
            Bench.control("inject_v4l2_buf_flag_error=1")
        }
        let before = driver.counts.delivered
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > before + 3 })
        #expect(driver.counts.bad == 5)
        turner.release()
        #expect(Bench.heldNodes.isEmpty)
    }

    @Test("V-07: all frames dropped: stalled; frames again when the fault ends")
    func dropped() throws {
        let reports = Log<DriverReport>()
        let (driver, turner) = try camera(reports: reports)
        Bench.control("percentage_of_dropped_buffers=100")
        defer { Bench.control("percentage_of_dropped_buffers=0") }
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(15)) { reports.count > 0 })
        guard case .recovered(let error) = reports.entries[0] else {
            Issue.record("\(reports.entries)")
            return
        }
        #expect(error.kind == .stalled)
        Bench.control("percentage_of_dropped_buffers=0")
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 3 })
        turner.release()
        #expect(Bench.heldNodes.isEmpty)
    }

    @Test("V-09: disconnected: absent, and the node comes back, so nothing is left on it")
    func disconnected() throws {
        let (driver, turner) = try camera()
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 0 })
        Bench.control("disconnect=1")
        let error = #expect(throws: DeviceError.self) {
            _ = try turner.turn(for: .seconds(10)) { false }
        }
        #expect(error?.kind == .absent)
        turner.release()
        #expect(Bench.heldNodes.isEmpty)
        let before = driver.counts.delivered
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > before })
        turner.release()
    }

    @Test(
        "refused REQBUFS, QBUF and STREAMON leave nothing and pass",
        arguments: [
            "inject_vidioc_reqbufs_error", "inject_vidioc_streamon_error", "inject_vidioc_qbuf_error",
        ])
    func refused(injection: String) throws {
        let (driver, turner) = try camera()
        Bench.control("\(injection)=1")
        do {
            _ = try turner.acquire()
        } catch let error as DeviceError {
            #expect(error.isRecoverable, "\(error)")
            #expect(Bench.heldNodes.isEmpty)
            _ = try turner.acquire()
        }
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 3 })
        turner.release()
        #expect(Bench.heldNodes.isEmpty)
    }

    @Test("V-30: a fatal streaming error is mended by a restart")
    func fatal() throws {
        let reports = Log<DriverReport>()
        let (driver, turner) = try camera(reports: reports)
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 2 })
        Bench.control("inject_fatal_streaming_error=1")
        let before = driver.counts.delivered
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > before + 5 && reports.count > 1 })
        #expect(reports.entries.contains { if case .recovered = $0 { true } else { false } })
        turner.release()
        #expect(Bench.heldNodes.isEmpty)
    }

    @Test("V-18: vivid's wrapping counter and clock cost no frame")
    func wraps() throws {
        Bench.control("wrap_sequence_number=1,wrap_timestamp=1")
        defer { Bench.control("wrap_sequence_number=0,wrap_timestamp=0") }
        let sinks = FrameSinks()
        let infos = Log<FrameInfo>()
        try sinks.add(.inline) { infos.append($0.info) }
        let (driver, turner) = try camera(sinks: sinks)
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(30)) { driver.counts.delivered > 40 })
        turner.release()
        let numbers = infos.entries.map(\.sequence)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        #expect(infos.entries.allSatisfy { $0.droppedBefore < 1000 })
    }

    @Test("a kept frame holds the picture while streaming, and not the device after the release")
    func kept() throws {
        let sinks = FrameSinks()
        let kept = Log<KeptFrame>()
        try sinks.add(.inline) { if kept.count == 0 { kept.append($0.keep()) } }
        var configuration = CameraConfiguration(selector: CameraSelector("driver vivid"), width: 640, height: 360)
        configuration.keptFrames = 1
        let (driver, turner) = try camera(configuration, sinks: sinks)
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 10 })
        let frame = try #require(kept.entries.first)
        #expect(frame.withFrame { $0.withUnsafeBytes { $0.contains { $0 != 0 } } })
        turner.release()
        #expect(Bench.heldNodes.isEmpty)
        #expect(frame.withFrame { $0.withUnsafeBytes { $0.allSatisfy { $0 == 0 } } })
        #expect(Shell.run("timeout 20 v4l2-ctl -d /dev/video0 --stream-mmap --stream-count=2").status == 0)
    }

    @Test(
        "V-28: the colour bars in their colours",
        arguments: [
            "YUYV", "UYVY", "NV12", "RGB3", "NV16", "XR24", "NM16", "NM12",
        ])
    func colors(format: String) throws {
        Bench.control("test_pattern=0,horizontal_movement=3,osd_text_mode=2")
        let sinks = FrameSinks()
        let pictures = Log<Picture>()
        let failures = Log<ConversionError>()
        try sinks.add(.inline) { frame in
            do throws(ConversionError) { pictures.append(try frame.picture(as: .bgra)) } catch {
                failures.append(error)
            }
        }
        let (driver, turner) = try camera(
            CameraConfiguration(
                selector: CameraSelector("driver vivid"), width: 640, height: 360, pixelFormat: PixelFormat(format)),
            sinks: sinks)
        let acquired = try turner.acquire()
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 0 })
        turner.release()
        let picture = try #require(pictures.entries.first, "\(failures.entries) \(acquired.format)")
        #expect(ColorBars.missing(in: picture, rows: [180]) == [], "\(format)")
    }

    @Test("V-24: a format that the camera lacks is made by libv4l2, and its maps go too")
    func converted() throws {
        // vivid has all that libv4l2 makes; MJPG is what neither has.
        let (driver, turner) = try camera(
            CameraConfiguration(selector: CameraSelector("driver vivid"), width: 640, height: 360, pixelFormat: .mjpeg))
        let acquired = try turner.acquire()
        #expect(acquired.notes.contains { $0.contains("MJPG") })
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 0 })
        turner.release()
        #expect(Bench.heldNodes.isEmpty)
    }

    @Test("V-24: all through libv4l2 itself: frames, a kept one over the release, nothing held")
    func library() throws {
        let kernel = try #require(CameraDriver.library())
        let sinks = FrameSinks()
        let kept = Log<KeptFrame>()
        try sinks.add(.inline) { if kept.count == 0 { kept.append($0.keep()) } }
        for format in [PixelFormat.rgb24, .i420] {
            let driver = CameraDriver(
                configuration: CameraConfiguration(
                    selector: .driver("vivid"), width: 640, height: 360, pixelFormat: format, keptFrames: 1,
                    keptFramePolicy: .copy), sinks: sinks, report: { _ in }, kernel: kernel,
                finder: CameraFinder())
            let turner = try Turner(driver)
            _ = try turner.acquire()
            #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 5 })
            turner.release()
            #expect(Bench.heldNodes.isEmpty)
        }
        #expect(kept.entries.first?.withFrame { $0.withUnsafeBytes { $0.contains { $0 != 0 } } } == true)
        #expect(Shell.run("timeout 20 v4l2-ctl -d /dev/video0 --stream-mmap --stream-count=2").status == 0)
    }

    @Test("V-21: what somebody else set between two acquires is put back; automatics first")
    func controls() throws {
        let (driver, turner) = try camera(
            CameraConfiguration(
                selector: .driver("vivid"), width: 640, height: 360,
                controls: [
                    ControlSetting("gain", 33), ControlSetting(.brightness, 77),
                    ControlSetting("gain_automatic", "off"),
                ]
            ))
        defer { Bench.control("brightness=128") }
        for _ in 0..<3 {
            let acquired = try turner.acquire()
            #expect(acquired.notes.isEmpty, "\(acquired.notes)")
            let set = Shell.run("v4l2-ctl -d /dev/video0 -C brightness,gain,gain_automatic")
            #expect(set.output.contains("brightness: 77") && set.output.contains("gain: 33"), "\(set.output)")
            #expect(set.output.contains("gain_automatic: 0"))
            driver.set([ControlSetting("contrast", 5)])
            #expect(Shell.run("v4l2-ctl -d /dev/video0 -C contrast").output.contains("contrast: 5"))
            turner.release()
            Bench.control("brightness=7,gain_automatic=1,contrast=128")
        }
        #expect(Bench.heldNodes.isEmpty)
    }

    @Test("the list of controls and of formats is the one that v4l2-ctl has")
    func lists() throws {
        let info = try CameraInfo.find(.driver("vivid"))
        let controls = try info.controls()
        let judge = Shell.run("v4l2-ctl -d /dev/video0 -l").output
        let names = judge.split(separator: "\n").filter { $0.contains(" 0x") }.map { line in
            String(line.drop { $0 == " " }.prefix { $0 != " " })
        }
        #expect(names.count > 20)
        #expect(Set(controls.map(\.name)) == Set(names))
        #expect(controls.first { $0.name == "brightness" }?.minimum == 0)
        #expect(controls.first { $0.name == "brightness" }?.value != nil)
        let formats = try info.formats()
        let listed = Shell.run("v4l2-ctl -d /dev/video0 --list-formats-ext").output
        #expect(listed.components(of: "Size: ") == formats.reduce(0) { $0 + $1.sizes.count })
        let yuyv = try #require(formats.first { $0.pixelFormat == .yuyv })
        #expect(yuyv.sizes.contains { $0.width == 640...640 && $0.height == 360...360 && !$0.rates.isEmpty })
        #expect(Bench.heldNodes.isEmpty)
    }

    @Test("a warm acquire opens its node once; a node that was made anew is looked at again")
    func warm() throws {
        let kernel = CountingKernel()
        let driver = CameraDriver(
            configuration: CameraConfiguration(selector: .driver("vivid"), width: 640, height: 360),
            sinks: FrameSinks(), report: { _ in }, kernel: kernel)
        let turner = try Turner(driver)
        _ = try turner.acquire()
        turner.release()
        for _ in 0..<3 {
            let before = kernel.opened
            let delivered = driver.counts.delivered
            _ = try turner.acquire()
            #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > delivered })
            turner.release()
            #expect(kernel.opened == before + 1)
        }
        // A replug under the same number. Not by mknod: a node that the kernel has not made itself it does not take away
        // either, and the tests of hot-plug wait for that.
        Shell.run("cd /sys/bus/platform/drivers/vivid && echo vivid.0 >unbind && echo vivid.0 >bind")
        let before = kernel.opened
        _ = try turner.acquire()
        turner.release()
        #expect(kernel.opened > before + 1)
        #expect(Bench.heldNodes.isEmpty)
    }

    @Test("found by every form of its name; nothing stays open")
    func identities() throws {
        let all = CameraFinder().all()
        let vivid = try #require(all.first { $0.driver == "vivid" })
        #expect(vivid.supported && vivid.node == "/dev/video0")
        for name in vivid.identities + ["any", "driver vivid"] {
            #expect(try CameraFinder().resolve(CameraSelector(name)).node == "/dev/video0", "\(name)")
        }
        let error = #expect(throws: DeviceError.self) { try CameraFinder().resolve(CameraSelector("no such")) }
        #expect(error?.kind == .absent)
        #expect(Bench.heldNodes.isEmpty)
    }
}

extension String {
    /// How often `part` stands in it.
    fileprivate func components(of part: String) -> Int {
        var (count, rest) = (0, self[...])
        while let found = rest.firstRange(of: part) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}

/// The real kernel, whose opens are counted.
private final class CountingKernel: VideoKernel {
    private let raw = RawKernel()
    private let opens = Atomic<Int>(0)
    var opened: Int { opens.load(ordering: .relaxed) }
    var isConverting: Bool { false }
    func open(_ node: String) -> Int32 {
        opens.wrappingAdd(1, ordering: .relaxed)
        return raw.open(node)
    }
    func close(_ descriptor: Int32) { raw.close(descriptor) }
    func call(_ descriptor: Int32, _ call: VideoCall, _ argument: UnsafeMutableRawPointer) -> Int32 {
        raw.call(descriptor, call, argument)
    }
    func map(_ descriptor: Int32, length: Int, offset: Int64, fault: inout Int32) -> UnsafeMutableRawPointer? {
        raw.map(descriptor, length: length, offset: offset, fault: &fault)
    }
    func unmap(_ address: UnsafeMutableRawPointer, length: Int) -> Int32 { raw.unmap(address, length: length) }
    func detach(_ address: UnsafeMutableRawPointer, length: Int, copying: Bool) -> Int32 {
        raw.detach(address, length: length, copying: copying)
    }
}
