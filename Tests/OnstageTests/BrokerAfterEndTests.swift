import Glibc
import Onstage
import OnstageCore
import OnstageTestKit
import Synchronization
import Testing

/// What is asked of a broker at its end and after it, and what is left of it.
@Suite("script: after the end of a broker", .timeLimit(.minutes(1))) struct BrokerAfterEndTests {
    private final class Observer: SceneObserver {}

    @Test func closingAgainAnswersAtOnce() async throws {
        let broker = try Broker()
        broker.scene("main").resume()
        async let first: Void = broker.close()
        async let second: Void = broker.close()
        _ = await (first, second)
        await broker.close()
    }

    @Test func whatComesAfterTheEndIsAnswered() async throws {
        let broker = try Broker()
        let main = broker.scene("main")
        let camera = FakeDevice("camera")
        try main.bind(camera)
        main.resume()
        main.end()
        let last = await main.released
        await broker.close()
        #expect(await main.released == last, "the answers of the end stay")
        for await _ in broker.events { Issue.record("nothing happens any more") }
        #expect(throws: BindingError.sceneEnded(scene: "late")) { try broker.scene("late").bind(camera) }
        #expect(await broker.scene("late").released == [])
        let other = try Broker()
        try other.scene("main").bind(camera)
        await other.close()
    }

    @Test func aCallbackThatNeverReturnsHoldsUpNeitherDevicesNorTheEnd() async throws {
        var configuration = Broker.Configuration()
        let clock = StillClock()
        configuration.clock = clock
        configuration.callbacks = .custom { _ in }
        let broker = try Broker(configuration)
        let recorder = EventRecorder(broker)
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        let observer = Observer()
        try scene.bind(camera)
        scene.add(observer)
        scene.resume()
        await recorder.wait("camera", .open)
        async let closed: Void = broker.close()
        await recorder.wait("camera", .closed)
        #expect(!camera.isOpen)
        while clock.nextDeadline == nil { await Task.yield() }
        clock.advance(by: .seconds(5))
        await closed
    }

    @Test("L-13: nothing is left of 50 brokers") func nothingIsLeftOf50Brokers() async throws {
        await #expect(processExitsWith: .success) {
            weak var lastBroker: Broker?
            weak var lastScene: Scene?
            var before: [Int] = []
            for round in 0..<50 {
                do {
                    let broker = try Broker()
                    let recorder = EventRecorder(broker)
                    let scene = broker.scene("main")
                    let camera = FakeDevice("camera", key: "cam")
                    let busy = DeviceError(.inUse, operation: "VIDIOC_REQBUFS", device: "/dev/null")
                    camera.fail(.acquire, .error(busy))
                    let sound = FakeDevice("sound", kind: .audio)
                    try scene.bind(camera)
                    try scene.bind(sound)
                    scene.resume()
                    await recorder.wait("sound", .open)
                    await recorder.wait("camera", .pendingOpen)
                    await broker.close()
                    (lastBroker, lastScene) = (broker, scene)
                }
                if round == 1 { before = held() }
            }
            // A detached thread is gone a little after it has said so.
            for _ in 0..<10_000 where !zip(held(), before).allSatisfy(<=) { sched_yield() }
            guard zip(held(), before).allSatisfy(<=) else { exit(3) }
            for _ in 0..<10_000 where lastBroker != nil || lastScene != nil { sched_yield() }
            exit(lastBroker == nil && lastScene == nil ? 0 : 2)
        }
    }

    @Test func aSceneThatHasEndedIsForgotten() async throws {
        let broker = try Broker()
        weak var scene: Scene?
        weak var seen: Observer?
        do {
            let observer = Observer()
            let made = broker.scene("customer")
            made.add(observer)
            made.resume()
            made.end()
            made.performWhenActive { _ = made }
            _ = await made.released
            (scene, seen) = (made, observer)
        }
        // Its last callback is told and let go of.
        while scene != nil || seen != nil { await broker.decided() }
        #expect(broker.scene("customer").phase == .notRunning)
        await broker.close()
    }
}

/// How many threads and descriptors this process has.
private func held() -> [Int] {
    ["/proc/self/task", "/proc/self/fd"].map { path in
        guard let folder = opendir(path) else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
