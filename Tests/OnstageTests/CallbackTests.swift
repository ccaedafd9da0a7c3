import Onstage
import OnstageCore
import OnstageTestKit
import Synchronization
import Testing

private final class Observer: SceneObserver {
    let name: String
    let transcript: Transcript
    let onCall: @Sendable (LifecycleCallback, Scene) -> Void
    init(
        _ name: String, _ transcript: Transcript,
        onCall: @escaping @Sendable (LifecycleCallback, Scene) -> Void = { _, _ in }
    ) {
        self.name = name
        self.transcript = transcript
        self.onCall = onCall
    }
    private func take(_ callback: LifecycleCallback, _ scene: Scene) {
        transcript.add("\(name) \(callback.rawValue)")
        onCall(callback, scene)
    }
    func didFinishLaunching(_ scene: Scene) { take(.didFinishLaunching, scene) }
    func willEnterForeground(_ scene: Scene) { take(.willEnterForeground, scene) }
    func didBecomeActive(_ scene: Scene) { take(.didBecomeActive, scene) }
    func willResignActive(_ scene: Scene) { take(.willResignActive, scene) }
    func didEnterBackground(_ scene: Scene) { take(.didEnterBackground, scene) }
    func willTerminate(_ scene: Scene) { take(.willTerminate, scene) }
}

private final class Shade: ShadeSink {
    let transcript: Transcript
    init(_ transcript: Transcript) { self.transcript = transcript }
    func showShade() { transcript.add("shade shown") }
    func hideShade() { transcript.add("shade hidden") }
}

private final class AppLog: AppObserver {
    let transcript: Transcript
    init(_ transcript: Transcript) { self.transcript = transcript }
    func app(_ broker: Broker, _ callback: LifecycleCallback) { transcript.add("app \(callback.rawValue)") }
}

@Suite("script: callbacks", .timeLimit(.minutes(1))) struct CallbackTests {
    private let clock = StillClock()
    private let transcript = Transcript()

    @Test func upOldestFirstDownNewestFirstAndTheShadeInBetween() async throws {
        let broker = try Broker(still: clock)
        let recorder = EventRecorder(broker)
        let scene = broker.scene("main")
        scene.add(Observer("a", transcript))
        scene.add(Observer("b", transcript))
        scene.add(Shade(transcript))
        scene.resume()
        await scene.settled()
        scene.pause()
        await transcript.wait(9)
        scene.resume()
        await scene.settled()
        scene.enterBackground()
        scene.end()
        await broker.close()
        #expect(
            transcript.all == [
                "a didFinishLaunching", "b didFinishLaunching", "a willEnterForeground", "b willEnterForeground",
                "a didBecomeActive", "b didBecomeActive",
                "shade shown", "b willResignActive", "a willResignActive",
                "a didBecomeActive", "b didBecomeActive", "shade hidden",
                "shade shown", "b willResignActive", "a willResignActive",
                "b didEnterBackground", "a didEnterBackground",
                "b willTerminate", "a willTerminate",
            ])
        #expect(recorder.events.count > 0)
    }

    @Test func aPauseFromACallbackHasShownTheShadeWhenItReturns() async throws {
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        let transcript = transcript
        scene.add(Shade(transcript))
        scene.resume()
        await scene.settled()
        await withCheckedContinuation { continuation in
            scene.performWhenActive {
                scene.pause()
                transcript.add("pause returned")
                continuation.resume()
            }
        }
        await broker.close()
        #expect(transcript.all == ["shade shown", "pause returned"], "and not once more in its pass")
    }

    @Test func aDeviceIsClosedWithoutWaitingForACallback() async throws {
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        let recorder = EventRecorder(broker)
        let camera = FakeDevice("camera")
        let gate = FakeDevice.Gate()
        try scene.bind(camera)
        scene.add(Observer("slow", transcript) { callback, _ in if callback == .willResignActive { gate.pass() } })
        scene.resume()
        await recorder.wait("camera", .open)
        await scene.settled()
        scene.pause()
        let receipts = await scene.released
        #expect(receipts.map(\.resource) == ["camera"])
        await gate.reached()
        #expect(!camera.isOpen, "while the observer still saves its draft")
        gate.open()
        await broker.close()
    }

    @Test func callbacksRunWhereTheAppSays() async throws {
        let queue = Mutex<[@Sendable () -> Void]>([])
        let arrivals = AsyncStream<Void>.makeStream()
        let broker = try Broker(
            still: clock,
            callbacks:
                .custom { block in
                    queue.withLock { $0.append(block) }
                    arrivals.continuation.yield()
                })
        let scene = broker.scene("main")
        scene.add(Observer("a", transcript))
        scene.resume()
        var count = 0
        for await _ in arrivals.stream {
            #expect(transcript.all.count == count, "nothing runs before the app runs it")
            let block = queue.withLock { $0.removeFirst() }
            block()
            count += 1
            if count == 3 { break }
        }
        #expect(transcript.all == ["a didFinishLaunching", "a willEnterForeground", "a didBecomeActive"])
    }

    @Test func leavingAndComingBackWithinTheDelayIsNothingToTheApp() async throws {
        let broker = try Broker(still: clock)
        let recorder = EventRecorder(broker)
        broker.add(AppLog(transcript))
        let scene = broker.scene("main")
        scene.resume()
        await transcript.wait(3)  // the app's callbacks are a pass of their own
        scene.enterBackground()
        await recorder.wait { events in
            events.contains { if case .sceneMoved(_, _, .background, _) = $0 { true } else { false } }
        }
        await transcript.wait(4)
        #expect(broker.phase == .inactive, "held back")
        let first = clock.now + .milliseconds(700)
        while clock.nextDeadline != first { await Task.yield() }
        clock.advance(by: .milliseconds(699))
        scene.resume()
        await transcript.wait(5)
        scene.enterBackground()
        await recorder.wait { events in
            events.filter { if case .sceneMoved(_, _, .background, _) = $0 { true } else { false } }.count == 2
        }
        await transcript.wait(6)
        let due = clock.now + .milliseconds(700)
        while clock.nextDeadline != due { await Task.yield() }
        clock.advance(by: .milliseconds(700))
        await recorder.wait { events in
            events.contains { if case .appMoved(_, .background, _) = $0 { true } else { false } }
        }
        await broker.close()
        #expect(
            transcript.all.prefix(6) == [
                "app didFinishLaunching", "app willEnterForeground", "app didBecomeActive", "app willResignActive",
                "app didBecomeActive", "app willResignActive",
            ])
        #expect(transcript.all.dropFirst(6).first == "app didEnterBackground")
    }
}
