import Glibc
import Onstage
import OnstageCore
import OnstageTestKit
import Synchronization
import Testing

/// Resources that change hands, and who is worth more.
@Suite("script: changing hands", .timeLimit(.minutes(1))) struct BrokerRebindTests {
    private final class Shade: ShadeSink {
        let isShown = Atomic(false)
        func showShade() { isShown.store(true, ordering: .relaxed) }
        func hideShade() { isShown.store(false, ordering: .relaxed) }
    }

    /// Something that another thread unbinds while it is being bound.
    private final class Odd: Resource {
        let handle: ResourceHandle
        init(_ onBind: @escaping @Sendable (Odd) -> Void) {
            let made = Mutex<Odd?>(nil)
            handle = ResourceHandle(
                name: "odd", kind: .camera,
                onBind: { _, _ in if let odd = made.withLock({ $0.take() }) { onBind(odd) } },
                makeDriver: { _ in preconditionFailure("its scene is never active") })
            made.withLock { $0 = self }
        }
    }

    let broker: Broker
    let recorder: EventRecorder

    init() throws {
        var configuration = Broker.Configuration()
        configuration.clock = StillClock()
        broker = try Broker(configuration)
        recorder = EventRecorder(broker)
    }

    private func unbound() async {
        await recorder.wait { $0.contains { if case .unbound = $0 { true } else { false } } }
    }

    @Test func aSceneThatNeverRanEndsForGoodAsWell() async throws {
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        try scene.bind(camera)
        scene.end()
        await unbound()
        scene.resume()
        await broker.decided()
        #expect(scene.phase == .notRunning)
        #expect(recorder.events.contains { if case .refused(_, "active", .ended, _) = $0 { true } else { false } })
        try broker.scene("main").bind(camera)
        await broker.close()
    }

    @Test func whatAnEndedSceneHadMayBeBoundAtOnce() async throws {
        let scene = broker.scene("main")
        let camera = FakeDevice("camera", key: "cam")
        try scene.bind(camera)
        scene.resume()
        await recorder.wait("camera", .open)
        scene.end()
        let again = broker.scene("main")
        try again.bind(camera)
        again.resume()
        await recorder.wait("camera", .open, count: 2)
        #expect(camera.opens == 2 && camera.closes == 1)
        await broker.close()
    }

    @Test func aBindingToAnotherBrokerOutlivesTheOldOne() async throws {
        let other = try Broker()
        let camera = FakeDevice("camera", key: "cam")
        let gate = FakeDevice.Gate()
        camera.fail(.release, .gate(gate))
        let a = broker.scene("a")
        try a.bind(camera)
        a.resume()
        await recorder.wait("camera", .open, scene: "a")
        a.unbind(camera)
        await gate.reached()
        try other.scene("b").bind(camera)
        gate.open()
        await unbound()
        #expect(throws: BindingError.boundElsewhere(scene: "b")) { try a.bind(camera) }
        await other.close()
        await broker.close()
    }

    @Test(arguments: [false, true]) func twoBrokersNeverHaveTwoDriversOfOneResource(oldOneEnds: Bool) async throws {
        let clock = StillClock()
        var configuration = Broker.Configuration()
        configuration.clock = clock
        let old = try Broker(configuration)
        let oldEvents = EventRecorder(old)
        let camera = FakeDevice("camera", key: "cam")
        let gate = FakeDevice.Gate()
        camera.fail(.release, .gate(gate))
        let a = old.scene("a")
        try a.bind(camera)
        a.resume()
        await oldEvents.wait("camera", .open, scene: "a")
        a.unbind(camera)
        await gate.reached()
        let b = broker.scene("b")
        try b.bind(camera)
        b.resume()
        await broker.decided()
        if oldOneEnds {
            // It is forced after the first second, and given up as stuck after another; what the clock has passed before a
            // timer was set does not count, so it goes on until then, a wish of nothing at a time.
            let (steps, told) = AsyncStream.makeStream(of: Bool.self)
            old.close { told.yield(true) }
            old.afterWishes { told.yield(false) }
            for await isOver in steps {
                if isOver { break }
                clock.advance(by: .seconds(1))
                old.afterWishes { told.yield(false) }
            }
        }
        #expect(camera.calls.filter { $0 != "force" } == ["resolve", "acquire", "release"])
        gate.open()
        await recorder.wait("camera", .open, scene: "b")
        #expect(
            camera.calls.filter { $0 != "force" } == ["resolve", "acquire", "release", "resolve", "acquire"])
        if !oldOneEnds { await old.close() }
        await broker.close()
    }

    @Test func aBindingThatIsTakenBackWhileItWaitsLetsTheNextOneBegin() async throws {
        let camera = FakeDevice("camera", key: "cam")
        let gate = FakeDevice.Gate()
        camera.fail(.release, .gate(gate))
        let scenes = ["a", "b", "c"].map(broker.scene)
        try scenes[0].bind(camera)
        scenes[0].resume()
        await recorder.wait("camera", .open, scene: "a")
        scenes[0].unbind(camera)
        await gate.reached()
        try scenes[1].bind(camera)
        scenes[1].resume()
        scenes[1].unbind(camera)
        try scenes[2].bind(camera)
        scenes[2].resume()
        await broker.decided()
        gate.open()
        await recorder.wait("camera", .open, scene: "c")
        #expect(camera.opens == 2)
        await broker.close()
    }

    @Test func aBindingThatNeverWasActiveMakesWayForTheNext() async throws {
        let camera = FakeDevice("camera")
        let a = broker.scene("a")
        try a.bind(camera)
        await broker.decided()
        a.unbind(camera)
        let b = broker.scene("b")
        try b.bind(camera)
        b.resume()
        await recorder.wait("camera", .open, scene: "b")
        await broker.close()
    }

    @Test func anUnbindThatOvertakesItsBindLeavesNothingBound() async throws {
        let scene = broker.scene("main")
        let odd = Odd { scene.unbind($0) }
        try scene.bind(odd)
        await broker.decided()
        #expect(!recorder.events.contains { if case .bound = $0 { true } else { false } })
        await broker.close()
    }

    @Test func aNewBindingShowsItselfAndNotTheOldOne() async throws {
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        camera.fail(.acquire, .error(DeviceError(.configuration, operation: "VIDIOC_S_FMT", device: "camera")))
        try scene.bind(camera)
        scene.resume()
        await recorder.wait("camera", .closed)
        #expect(camera.error != nil)
        scene.pause()
        scene.unbind(camera)
        await unbound()
        camera.handle.pause(.user, true)
        try scene.bind(camera)
        await broker.decided()
        #expect(camera.error == nil)
        #expect(camera.pauseReasons == [PauseReasons(.lifecycle), PauseReasons(.user)])
        await broker.close()
    }

    @Test(arguments: [BindingThreshold.visible, .always])
    func theLastToBecomeActiveHasWhatItsSceneNeverLetGo(_ threshold: BindingThreshold) async throws {
        let a = broker.scene("a")
        let b = broker.scene("b")
        let first = FakeDevice("camera", key: "cam")
        let second = FakeDevice("camera", key: "cam")
        try a.bind(first, while: threshold)
        try b.bind(second, while: threshold)
        a.resume()
        await recorder.wait("camera", .open, scene: "a")
        a.pause()
        b.resume()
        await recorder.wait("camera", .open, scene: "b")
        b.pause()
        a.resume()
        await recorder.wait("camera", .open, scene: "a", count: 2)
        #expect(!second.isOpen)
        await broker.close()
    }

    @Test func aReturnThatOvertakesTheLeavingTakesTheShadeAway() async throws {
        let scene = broker.scene("main")
        let shade = Shade()
        scene.add(shade)
        scene.resume()
        await withCheckedContinuation { continuation in
            scene.performWhenActive {
                scene.pause()
                scene.resume()
                continuation.resume()
            }
        }
        await scene.settled()
        #expect(scene.phase == .active)
        let isShown = shade.isShown.load(ordering: .relaxed)
        #expect(!isShown)
        await broker.close()
    }

    @Test(
        "L-22: while the screen is off everything is given back, whatever its scene does; it goes on when it is on again"
    )
    func theScreenIsOff() async throws {
        let scene = broker.scene("main")
        let devices = [
            FakeDevice("camera"), FakeDevice("gyroscope", kind: .motion), FakeDevice("playback", kind: .audio),
        ]
        for device in devices { try scene.bind(device) }
        scene.resume()
        for device in devices { await recorder.wait(device.handle.name, .open) }
        // Said twice, it is taken away by one word all the same.
        broker.pauseAll(.screenOff, true)
        broker.pauseAll(.screenOff, true)
        for device in devices { await recorder.wait(device.handle.name, .closed) }
        #expect(scene.phase == .active, "the lifecycle has not moved")
        // Leaving and coming back in the dark acquires nothing.
        scene.pause()
        scene.resume()
        await broker.decided()
        #expect(devices.allSatisfy { $0.pauseReasons == PauseReasons(.screenOff) && $0.state == .closed })
        broker.pauseAll(.screenOff, false)
        for device in devices { await recorder.wait(device.handle.name, .open, count: 2) }
        await broker.close()
    }

    @Test(arguments: PauseReason.allCases.filter { $0 != .screenOff && $0 != .systemSleep })
    func aReasonWithAnOwnerIsNotForAll(_ reason: PauseReason) async throws {
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        try scene.bind(camera)
        broker.pauseAll(reason, false)
        await broker.decided()
        #expect(camera.pauseReasons == PauseReasons(.lifecycle), "nothing is acquired while nobody looks")
        broker.pauseAll(reason, true)
        scene.resume()
        await recorder.wait("camera", .open)
        await broker.close()
    }

    @Test func answersAreKeptButNotForEver() async throws {
        let scene = broker.scene("main")
        let sound = FakeDevice("playback", kind: .audio)
        try scene.bind(sound)
        scene.resume()
        await broker.decided()  // else a pause may be there before the binding is, and is none that was asked for
        for _ in 0..<200 {
            sound.handle.pause(.user, true)
            sound.handle.pause(.user, false)
        }
        #expect(await scene.released.count <= 64)
        await recorder.wait { events in
            events.count { if case .released = $0 { true } else { false } } >= 200
        }
        #expect(recorder.receipts.count == 200)
        await broker.close()
    }

    @Test func withoutAThreadNothingIsSaidToBeStuck() async throws {
        await #expect(processExitsWith: .success) {
            let broker = try Broker()
            let recorder = EventRecorder(broker)
            let scene = broker.scene("main")
            let camera = FakeDevice("camera")
            try scene.bind(camera)
            await broker.decided()
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var none = limit
            none.rlim_cur = 3
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
            for _ in 0..<50 {
                scene.resume()
                scene.pause()
            }
            let answers = await scene.released
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            scene.resume()
            await recorder.wait("camera", .open)
            let all = recorder.receipts
            await broker.close()
            exit(answers.isEmpty || all.count != 50 || all.contains { $0.stuck || $0.forced } ? 1 : 0)
        }
    }
}
