import Onstage
import OnstageCore
import OnstageTestKit
import OnstageTestSupport
import Testing

/// Wishes of eight threads at once, on the real clock.
@Suite("walk: a storm of wishes", .timeLimit(.minutes(2))) struct BrokerStormTests {
    private static func wish(
        _ broker: Broker, _ scene: Scene, _ device: FakeDevice, _ random: inout SplitMix64
    ) {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2:
            let threshold = BindingThreshold.allCases.randomElement(using: &random) ?? .active
            try? scene.bind(device, while: threshold)  // bound elsewhere: that is one of the answers
        case 3, 4: scene.unbind(device)
        case 5: scene.resume()
        case 6: scene.pause()
        case 7: scene.enterBackground()
        case 8: device.handle.pause(.user, Bool.random(using: &random))
        case 9: scene.interruptionBegan("call", ResourceKind.allCases.randomElement(using: &random))
        case 10: scene.interruptionEnded("call", shouldResume: true)
        default: broker.pauseAll(.screenOff, Bool.random(using: &random))
        }
    }

    @Test("L-06: after it the last wishes are what stands", arguments: [1, 2]) func afterIt(_ seed: UInt64) async throws
    {
        var configuration = Broker.Configuration()
        // A loaded machine, or a sanitizer, may take a second for a release.
        configuration.releaseWatchdog = .seconds(60)
        let broker = try Broker(configuration)
        let recorder = EventRecorder(broker)
        let scenes = (0..<4).map { broker.scene("s\($0)") }
        // Three on one device, three that can be shared.
        let devices = (0..<6).map { FakeDevice("d\($0)", key: $0 < 3 ? "one" : nil) }
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SplitMix64(seed: seed &* 100 &+ UInt64(task))
                    for _ in 0..<1000 {
                        guard let scene = scenes.randomElement(using: &random),
                            let device = devices.randomElement(using: &random)
                        else { return }
                        Self.wish(broker, scene, device, &random)
                    }
                }
            }
        }
        // The last wishes are what stands in the end.
        broker.pauseAll(.screenOff, false)
        for device in devices {
            device.handle.pause(.user, false)
            for scene in scenes { scene.unbind(device) }
        }
        for scene in scenes { scene.end() }
        let last = broker.scene("last")
        for device in devices { try last.bind(device) }
        last.resume()
        // Of the three on one device the one bound last has it.
        await recorder.wait { _ in devices[2...].allSatisfy { $0.state == .open } }
        #expect(devices.map(\.isOpen) == [false, false, true, true, true, true])
        await broker.close()
        for device in devices {
            #expect(device.opens == device.closes)
            #expect(device.state == .closed)
            // One driver of a resource at a time: between two opens there is a release.
            var opens = 0
            for call in device.calls where call == "acquire" || call == "release" {
                opens = call == "acquire" ? opens + 1 : 0
                #expect(opens <= 1, "opened twice at once")
            }
        }
        #expect(recorder.receipts.allSatisfy { !$0.stuck && !$0.forced && $0.released != nil })
        let events = recorder.events
        let bound = events.count { if case .bound = $0 { true } else { false } }
        #expect(bound == events.count { if case .unbound = $0 { true } else { false } })
    }
}
