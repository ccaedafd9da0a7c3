import Onstage
import OnstageCore
import OnstageTestKit
import Synchronization
import Testing

private let busy = DeviceError(.inUse, operation: "VIDIOC_REQBUFS", device: "cam")

@Suite("script: broker", .timeLimit(.minutes(1))) struct BrokerTests {
    let broker: Broker
    let clock = StillClock()
    let recorder: EventRecorder

    init() throws {
        var configuration = Broker.Configuration()
        configuration.clock = clock
        broker = try Broker(configuration)
        recorder = EventRecorder(broker)
    }

    @Test func resumeAcquiresAndPauseReleases() async throws {
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        let sensor = FakeDevice("accelerometer", kind: .motion)
        try scene.bind(camera)
        try scene.bind(sensor)
        for _ in 1...3 {
            scene.resume()
            await recorder.wait("camera", .open)
            await recorder.wait("accelerometer", .open)
            scene.pause()
            let receipts = await scene.released
            #expect(receipts.map(\.resource).sorted() == ["accelerometer", "camera"])
            #expect(receipts.allSatisfy { $0.released != nil && !$0.forced && !$0.stuck })
            #expect(!camera.isOpen && !sensor.isOpen)
        }
        #expect(scene.phase == .inactive)
        #expect(camera.opens == camera.closes)
        await broker.close()
    }

    @Test func bindingRules() async throws {
        let main = broker.scene("main")
        let camera = FakeDevice("camera")
        try main.bind(camera)
        try main.bind(camera)  // again: nothing
        #expect(throws: BindingError.boundElsewhere(scene: "main")) { try broker.scene("other").bind(camera) }
        main.unbind(camera)
        try broker.scene("other").bind(camera)
        main.end()
        #expect(throws: BindingError.sceneEnded(scene: "main")) { try main.bind(FakeDevice("x")) }
        #expect(broker.scene("main") !== main, "a scene that has ended is made anew")
        await broker.close()
    }

    @Test func bindingWhileActiveActsAtOnce() async throws {
        let scene = broker.scene("main")
        scene.resume()
        let camera = FakeDevice("camera")
        try scene.bind(camera)
        await recorder.wait("camera", .open)
        scene.unbind(camera)
        await recorder.wait { $0.contains { if case .unbound = $0 { true } else { false } } }
        #expect(!camera.isOpen)
        await broker.close()
    }

    @Test func thresholds() async throws {
        let scene = broker.scene("main")
        let active = FakeDevice("a")
        let visible = FakeDevice("v")
        let always = FakeDevice("w")
        try scene.bind(active)
        try scene.bind(visible, while: .visible)
        try scene.bind(always, while: .always)
        scene.resume()
        for name in ["a", "v", "w"] { await recorder.wait(name, .open) }
        scene.pause()
        _ = await scene.released
        #expect([active.isOpen, visible.isOpen, always.isOpen] == [false, true, true])
        scene.enterBackground()
        _ = await scene.released
        #expect([active.isOpen, visible.isOpen, always.isOpen] == [false, false, true])
        scene.suspend()
        _ = await scene.released
        #expect([active.isOpen, visible.isOpen, always.isOpen] == [false, false, false])
        await broker.close()
    }

    @Test("L-14: the last to become active has the device, and gives it back")
    func theLastToBecomeActiveHasTheDeviceAndGivesItBack() async throws {
        let a = broker.scene("a")
        let b = broker.scene("b")
        let first = FakeDevice("camera", key: "cam0")
        let second = FakeDevice("camera", key: "cam0")
        try a.bind(first)
        try b.bind(second)
        a.resume()
        await recorder.wait("camera", .open, scene: "a")
        b.resume()
        await recorder.wait("camera", .open, scene: "b")
        #expect(first.state == .pendingOpen)
        #expect(first.pauseReasons == PauseReasons(.evicted))
        #expect(!first.isOpen)
        b.pause()
        await recorder.wait("camera", .open, scene: "a", count: 2)
        #expect(!second.isOpen)
        #expect(recorder.receipts.map(\.scene) == ["a", "b"])
        await broker.close()
    }

    @Test func aBusyDeviceIsTriedAgainByTheTimer() async throws {
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        camera.fail(.acquire, .error(busy))
        camera.fail(.acquire, .error(busy))
        try scene.bind(camera)
        scene.resume()
        await recorder.wait("camera", .pendingOpen)
        #expect(camera.error == busy)
        clock.advance(by: .milliseconds(500))
        await recorder.wait("camera", .pendingOpen, count: 2)
        clock.advance(by: .milliseconds(500))
        await recorder.wait("camera", .open)
        #expect(camera.error == nil)
        await broker.close()
    }

    @Test func oneThatFailsDoesNotHoldUpTheOthers() async throws {
        let scene = broker.scene("main")
        let slow = FakeDevice("camera")
        let gate = FakeDevice.Gate()
        slow.fail(.acquire, .gate(gate))
        let sound = FakeDevice("playback", kind: .audio)
        try scene.bind(slow)
        try scene.bind(sound)
        scene.resume()
        await gate.reached()
        await recorder.wait("playback", .open)
        scene.pause()
        await recorder.wait("playback", .closed)
        #expect(slow.state == .closing, "its thread is held; it is not said to be released")
        gate.open()
        let receipts = await scene.released
        #expect(receipts.count == 2)
        #expect(!slow.isOpen)
        await broker.close()
    }

    @Test("L-16: an acquire is called off between its steps") func anAcquireIsCalledOffBetweenItsSteps() async throws {
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        let gate = FakeDevice.Gate()
        camera.fail(.acquire, .cancellableGate(gate))
        try scene.bind(camera)
        scene.resume()
        await gate.reached()
        scene.pause()
        let receipts = await scene.released
        #expect(receipts.count == 1)
        #expect(camera.opens == 0)
        gate.open()
        await broker.close()
    }

    @Test func theWatchdogForcesAndAStuckThreadIsNeverSaidToBeReleased() async throws {
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        let gate = FakeDevice.Gate()
        camera.fail(.release, .gate(gate))
        try scene.bind(camera)
        scene.resume()
        await recorder.wait("camera", .open)
        scene.pause()
        await gate.reached()
        while clock.nextDeadline == nil { await Task.yield() }
        clock.advance(by: .seconds(1))
        while !camera.calls.contains("force") { await Task.yield() }
        clock.advance(by: .seconds(1))
        let receipts = await scene.released
        #expect(receipts.map(\.stuck) == [true])
        #expect(receipts.map(\.released) == [nil])
        #expect(camera.state == .closing)
        gate.open()
        await recorder.wait("camera", .closed)
        await broker.close()
    }

    @Test(arguments: [.zero, .seconds(-1), .microseconds(999), .seconds(3601), .seconds(Int64.max)] as [Duration])
    func aWatchdogThatForcesEverythingIsRefused(_ watchdog: Duration) {
        var configuration = Broker.Configuration()
        configuration.releaseWatchdog = watchdog
        let error = #expect(throws: DeviceError.self) { try Broker(configuration) }
        #expect(error?.kind == .configuration)
        #expect(error?.description.contains("release watchdog of") == true)
    }

    @Test func aLostDeviceComesBackByItself() async throws {
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        try scene.bind(camera)
        scene.resume()
        await recorder.wait("camera", .open)
        camera.lose(DeviceError(.absent, operation: "VIDIOC_DQBUF", device: "camera", errno: 19))
        await recorder.wait("camera", .pendingOpen)
        clock.advance(by: .milliseconds(500))
        await recorder.wait("camera", .open, count: 2)
        scene.pause()
        #expect(await scene.released.count == 1)
        #expect(camera.opens == camera.closes)
        await broker.close()
    }

    @Test func interruptionsPauseAKindAndAStayIsAUsersPause() async throws {
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        let sound = FakeDevice("playback", kind: .audio)
        try scene.bind(camera)
        try scene.bind(sound)
        scene.resume()
        await recorder.wait("camera", .open)
        await recorder.wait("playback", .open)
        scene.interruptionBegan("call")
        _ = await scene.released
        #expect(!camera.isOpen && !sound.isOpen)
        #expect(scene.phase == .active)
        scene.interruptionEnded("call", shouldResume: false)
        await recorder.wait("camera", .open, count: 2)
        #expect(!sound.isOpen)
        #expect(sound.pauseReasons == PauseReasons(.user))
        sound.handle.pause(.user, false)
        await recorder.wait("playback", .open, count: 2)
        await broker.close()
    }

    @Test func performWhenActiveRunsOnce() async throws {
        let scene = broker.scene("main")
        let runs = Mutex<[String]>([])
        scene.performWhenActive { runs.withLock { $0.append("deferred") } }
        let cancelled = scene.performWhenActive { runs.withLock { $0.append("cancelled") } }
        cancelled.cancel()
        await withCheckedContinuation { continuation in
            scene.performWhenActive { continuation.resume() }
            scene.resume()
        }
        await withCheckedContinuation { continuation in
            scene.performWhenActive {
                runs.withLock { $0.append("at once") }
                continuation.resume()
            }
        }
        scene.pause()
        scene.resume()
        await scene.settled()
        #expect(runs.withLock { $0 } == ["deferred", "at once"])
        await broker.close()
    }

    @Test func aResourceBoundAnewWaitsForItsOldRelease() async throws {
        let scene = broker.scene("main")
        let other = broker.scene("other")
        let sound = FakeDevice("playback", kind: .audio)
        let gate = FakeDevice.Gate()
        sound.fail(.release, .gate(gate))
        try scene.bind(sound)
        scene.resume()
        other.resume()
        await recorder.wait("playback", .open)
        scene.unbind(sound)
        await gate.reached()
        try other.bind(sound)
        let witness = FakeDevice("witness")
        try other.bind(witness)
        await recorder.wait("witness", .open, scene: "other")
        #expect(sound.opens == 1, "its first binding still holds the device")
        gate.open()
        await recorder.wait("playback", .open, scene: "other")
        #expect(sound.opens == 2)
        #expect(sound.closes == 1)
        await broker.close()
    }

    @Test func theBrokerEndsThoughAThreadIsStuck() async throws {
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        let gate = FakeDevice.Gate()
        camera.fail(.release, .gate(gate))
        try scene.bind(camera)
        scene.resume()
        await recorder.wait("camera", .open)
        scene.pause()
        await gate.reached()
        async let closed: Void = broker.close()
        for _ in 0..<2 {
            while clock.nextDeadline == nil { await Task.yield() }
            clock.advance(by: .seconds(1))
        }
        await closed
        #expect(recorder.receipts.map(\.stuck) == [true])
        gate.open()
    }
}
