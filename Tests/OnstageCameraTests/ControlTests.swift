import CV4L2
import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstageCamera

@Suite("scripts: controls against a played kernel")
struct ControlTests {
    private func camera(_ settings: [ControlSetting]) -> PlayedCamera {
        let camera = PlayedCamera(CameraConfiguration(controls: settings))
        camera.kernel.state.withLock { $0.controls = PlayedControl.exposure }
        return camera
    }

    @Test("V-21: automatics first, whatever the order of the wishes; at each acquire anew")
    func order() throws {
        let camera = camera([
            ControlSetting("exposure_time_absolute", 100), ControlSetting("gain", 20),
            ControlSetting("exposure_auto", "manual mode"), ControlSetting("gain_automatic", "off"),
            ControlSetting(.brightness, 7),
        ])
        for _ in 0..<3 {
            let acquired = try camera.acquire()
            #expect(acquired.notes.isEmpty, "\(acquired.notes)")
            let (writes, values) = camera.kernel.state.withLock { state in
                defer { state.writes = [] }
                return (state.writes, state.controls.map(\.value))
            }
            #expect(Set(writes.prefix(2)) == ["auto_exposure=1", "gain_automatic=0"])
            #expect(Set(writes.suffix(3)) == ["exposure_time_absolute=100", "gain=20", "brightness=7"])
            #expect(values == [100, 1, 7, 0, 20])
            camera.release()
            // Somebody else, or a replug, has put everything back to its default.
            camera.kernel.state.withLock { $0.controls = PlayedControl.exposure }
        }
        #expect(camera.kernel.isClean)
    }

    @Test("V-21: what fails is a warning with its name, and the others are set")
    func refused() throws {
        let camera = camera([
            ControlSetting("gain", 20), ControlSetting("sharpness", 1), ControlSetting("brightness", 999),
            ControlSetting("exposure_auto", "no such"), ControlSetting("exposure_time_absolute", 100),
            ControlSetting("contrast", 3), ControlSetting("saturation", 10),
        ])
        camera.kernel.state.withLock { state in
            state.controls.append(PlayedControl(id: 0x0098_0901, title: "Contrast", refusal: Errno.EIO))
            state.controls.append(PlayedControl(id: 0x0098_0902, title: "Saturation", step: 4))
        }
        let notes = try camera.acquire().notes
        for name in [
            "gain is not set: EACCES", "no control sharpness", "brightness is 0…255", "auto_exposure has no",
            "contrast is not set: EIO",
            "asked for saturation 10, 8 is set",
        ] {
            #expect(notes.contains { $0.contains(name) }, "\(name): \(notes)")
        }
        #expect(camera.kernel.state.withLock { $0.writes } == ["saturation=10"])
        try camera.frames([0])
        camera.release()
    }

    @Test("a camera that goes while its controls are set is absent, and nothing is left")
    func gone() {
        let camera = camera([ControlSetting("brightness", 7)])
        camera.kernel.fail(.setControl, Errno.ENODEV)
        let error = #expect(throws: DeviceError.self) { try camera.acquire() }
        #expect(error?.kind == .absent)
        #expect(camera.kernel.isClean)
    }

    @Test("set while it streams, and remembered")
    func live() throws {
        let settings = ControlSettings()
        let kernel = PlayedKernel()
        kernel.state.withLock { $0.controls = PlayedControl.exposure }
        let reports = Log<DriverReport>()
        let driver = CameraDriver(
            configuration: CameraConfiguration(), sinks: FrameSinks(), controls: settings,
            report: { reports.append($0) }, kernel: kernel,
            finder: CameraFinder(kernel: kernel, sys: "/nonexistent", dev: "/nonexistent"))
        let device = ResolvedDevice(key: "/dev/video0", identity: "played", node: "/dev/video0")
        driver.set([ControlSetting("brightness", 1)])
        #expect(kernel.state.withLock { $0.writes }.isEmpty)
        _ = try driver.acquire(device, NeverCancelled())
        settings.set(ControlSetting("brightness", 9))
        driver.set([ControlSetting("brightness", 9), ControlSetting("nothing", 1)])
        #expect(kernel.state.withLock { $0.writes } == ["brightness=9"])
        #expect(reports.entries.contains { if case .note(let text) = $0 { text.contains("nothing") } else { false } })
        _ = driver.release(ReleaseRequest(asked: .now, hurried: false), now: .now)
        settings.set(ControlSetting("brightness", 10))
        _ = try driver.acquire(device, NeverCancelled())
        #expect(kernel.state.withLock { $0.writes } == ["brightness=9", "brightness=10"])
        _ = driver.release(ReleaseRequest(asked: .now, hurried: false), now: .now)
        settings.forget("brightness")
        _ = try driver.acquire(device, NeverCancelled())
        #expect(kernel.state.withLock { $0.writes.count } == 2)
        _ = driver.release(ReleaseRequest(asked: .now, hurried: false), now: .now)
    }

    @Test(
        "a wish as a control's own number",
        arguments: [
            ("exposure_auto", ControlValue.automatic, 3), ("auto_exposure", .manual, 1),
            ("gain_automatic", .automatic, 1),
            ("gain_automatic", "off", 0), ("gain_automatic", "True", 1), ("exposure_auto", "manual", 1),
            ("exposure_auto", "aperture_priority_mode", 3), ("exposure_auto", 3, 3), ("gain", "0x10", 16),
        ] as [(String, ControlValue, Int64)])
    func resolved(name: String, value: ControlValue, number: Int64) throws {
        let kernel = PlayedKernel()
        kernel.state.withLock { $0.controls = PlayedControl.exposure }
        let controls = CameraControl.all(kernel, 1)
        #expect(controls.count == 5)
        #expect(controls.first { $0.name == "gain" }?.automatic == "gain_automatic")
        #expect(controls.first { $0.name == "gain" }?.isInactive == true)
        let control = try #require(controls.first { ControlName(name).names($0) })
        #expect(try control.resolve(value) == .number(number))
    }
}
