import Onstage
import OnstageCore
import OnstageTestKit
import OnstageTestSupport
import Synchronization
import Testing

/// Wishes at random against real threads, with real time: what the machines' own walk cannot show.
@Suite("walk: broker", .timeLimit(.minutes(2))) struct BrokerWalkTests {
    @Test("L-05, L-16: the last wish stands, whatever takes how long", arguments: 1...20)
    func theLastWishStands(_ seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        var configuration = Broker.Configuration()
        // A loaded machine, or a sanitizer, may take a second for a release; that is not what is walked here.
        configuration.releaseWatchdog = .seconds(60)
        let broker = try Broker(configuration)
        let recorder = EventRecorder(broker)
        var scenes: [Scene] = []
        var devices: [[FakeDevice]] = []
        for index in 0..<3 {
            let scene = broker.scene("s\(index)")
            let own = (0..<3).map { FakeDevice("d\($0)", kind: [.camera, .motion, .audio][$0], key: "device \($0)") }
            for device in own { try scene.bind(device) }
            scenes.append(scene)
            devices.append(own)
        }
        var last: [LifecycleState] = Array(repeating: .notRunning, count: 3)
        for _ in 0..<300 {
            let index = Int.random(in: 0..<3, using: &random)
            let state: LifecycleState =
                [.active, .active, .inactive, .background, .suspended].randomElement(
                    using: &random) ?? .active
            scenes[index].wish(state)
            last[index] = state
            let device = devices[index][Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<12, using: &random) {
            case 0: device.fail(.release, .turns(Int.random(in: 1...5, using: &random)))
            case 1: device.lose(DeviceError(.inputOutput, operation: "read", device: "x", errno: 5))
            case 2: device.handle.pause(.user, Bool.random(using: &random))
            case 3: await Task.yield()
            default: break
            }
        }
        for own in devices { for device in own { device.handle.pause(.user, false) } }
        // Everything to rest: only the first scene on stage.
        for scene in scenes { scene.pause() }
        for scene in scenes { _ = await scene.released }
        for own in devices { for device in own { #expect(!device.isOpen, "seed \(seed)") } }
        scenes[0].resume()
        for device in devices[0] {
            let name = device.handle.name
            await recorder.wait { events in
                let states = events.compactMap { event -> ResourceState? in
                    guard case .resourceChanged(let changed, let state, _, _) = event else { return nil }
                    return changed == ResourceName(resource: name, scene: "s0") ? state : nil
                }
                return states.last == .open
            }
        }
        await broker.close()
        for own in devices {
            for device in own {
                #expect(device.opens == device.closes, "seed \(seed): every open has one close")
                #expect(!device.isOpen, "seed \(seed)")
            }
        }
        #expect(recorder.receipts.allSatisfy { !$0.stuck && !$0.forced }, "seed \(seed)")
        #expect(recorder.receipts.allSatisfy { $0.released.map { _ in true } ?? false }, "seed \(seed)")
    }

    @Test("L-08: everything may be called from a callback", arguments: LifecycleCallback.allCases)
    func callsFromCallbacks(_ callback: LifecycleCallback) async throws {
        let broker = try Broker()
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        try scene.bind(camera)
        let observer = Caller(on: callback, camera)
        scene.add(observer)
        let ended = EventRecorder(broker)
        scene.resume()
        scene.pause()
        scene.enterBackground()
        scene.end()
        await ended.wait { events in
            events.contains { event in
                if case .sceneMoved(_, _, let to, _) = event { to == .notRunning } else { false }
            }
        }
        await broker.close()
        #expect(!camera.isOpen)
        #expect(camera.opens == camera.closes)
    }

    private final class Caller: SceneObserver {
        let wanted: LifecycleCallback
        let camera: FakeDevice
        init(on wanted: LifecycleCallback, _ camera: FakeDevice) {
            self.wanted = wanted
            self.camera = camera
        }
        func call(_ callback: LifecycleCallback, _ scene: Scene) {
            guard callback == wanted else { return }
            scene.pause()
            scene.unbind(camera)
            try? scene.bind(camera)  // refused after the end: that is what is tried
            scene.resume()
            scene.unbindAll()
            scene.pause()
            scene.remove(self)
        }
        func didFinishLaunching(_ scene: Scene) { call(.didFinishLaunching, scene) }
        func willEnterForeground(_ scene: Scene) { call(.willEnterForeground, scene) }
        func didBecomeActive(_ scene: Scene) { call(.didBecomeActive, scene) }
        func willResignActive(_ scene: Scene) { call(.willResignActive, scene) }
        func didEnterBackground(_ scene: Scene) { call(.didEnterBackground, scene) }
        func willTerminate(_ scene: Scene) { call(.willTerminate, scene) }
    }
}
