import OnstageCore
import OnstageTestKit
import Testing

@testable import Onstage

@Suite("script: phases", .timeLimit(.minutes(1))) struct PhaseTests {
    private let clock = StillClock()

    private func moves(_ phases: some AsyncSequence<PhaseChange, Never>) async -> [String] {
        var moves: [String] = []
        for await change in phases { moves.append("\(change.old) \(change.new)") }
        return moves
    }

    @Test func aScenesPhasesEndWithItAndTheAppsWithTheBroker() async throws {
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        let (phases, app) = (scene.phases, broker.phases)
        scene.resume()
        scene.suspend()
        scene.end()
        let all = [
            "notRunning inactive", "inactive active", "active inactive", "inactive background", "background suspended",
            "suspended notRunning",
        ]
        #expect(await moves(phases) == all)
        for await _ in scene.phases { Issue.record("a scene that has ended moves no more") }
        await broker.close()
        #expect(await moves(app) == all)
        for await _ in broker.phases { Issue.record("a broker that was closed moves no more") }
    }

    @Test func whoReadsNoMoreIsForgotten() async throws {
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        weak var reader: PhaseFollower.Token?
        weak var appReader: PhaseFollower.Token?
        do {
            let phases = PhaseFollower.changes(scene.id, broker.decider) { reader = $0 }
            let app = PhaseFollower.changes(nil, broker.decider) { appReader = $0 }
            scene.resume()
            for await _ in phases { break }
            for await _ in app { break }
        }
        while reader != nil || appReader != nil { await broker.decided() }
        await broker.close()
    }

    @Test func phasesEndAlsoWhereTheKernelHoldsADeviceOfTheScene() async throws {
        let broker = try Broker(still: clock)
        let recorder = EventRecorder(broker)
        let scene = broker.scene("main")
        let camera = FakeDevice("camera")
        let gate = FakeDevice.Gate()
        camera.fail(.release, .gate(gate))
        try scene.bind(camera)
        let phases = scene.phases
        scene.resume()
        await recorder.wait("camera", .open)
        scene.end()
        await gate.reached()
        var last: PhaseChange?
        for await change in phases { last = change }
        #expect(last?.new == .notRunning)
        for await _ in scene.phases { Issue.record("a scene that has ended moves no more") }
        #expect(camera.isOpen)
        gate.open()
        await broker.close()
    }
}
