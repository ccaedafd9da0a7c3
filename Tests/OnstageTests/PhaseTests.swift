import OnstageCore
import OnstageTestKit
import Testing

@testable import Onstage

@Suite("script: phases", .timeLimit(.minutes(1))) struct PhaseTests {
    private let clock = StillClock()

    private func broker() throws -> Broker {
        var configuration = Broker.Configuration()
        configuration.clock = clock
        return try Broker(configuration)
    }

    @Test func aScenesPhasesEndWithItAndTheAppsWithTheBroker() async throws {
        let broker = try broker()
        let scene = broker.scene("main")
        let (phases, app) = (scene.phases, broker.phases)
        scene.resume()
        scene.suspend()
        scene.end()
        var moves: [String] = []
        for await change in phases { moves.append("\(change.old) \(change.new)") }
        #expect(
            moves == [
                "notRunning inactive", "inactive active", "active inactive", "inactive background",
                "background suspended", "suspended notRunning",
            ])
        for await _ in scene.phases { Issue.record("a scene that has ended moves no more") }
        await broker.close()
        moves = []
        for await change in app { moves.append("\(change.old) \(change.new)") }
        #expect(
            moves == [
                "notRunning inactive", "inactive active", "active inactive", "inactive background",
                "background suspended", "suspended notRunning",
            ])
        for await _ in broker.phases { Issue.record("a broker that was closed moves no more") }
    }

    @Test func whoReadsNoMoreIsForgotten() async throws {
        let broker = try broker()
        let (scene, decider) = (broker.scene("main"), broker.decider)
        let id = scene.id
        weak var reader: PhaseFollower.Token?
        weak var appReader: PhaseFollower.Token?
        do {
            let phases = PhaseFollower.changes {
                reader = $0.token
                decider.send(.followPhase(id, $0))
            } leave: {
                decider.send(.leavePhase(id, $0))
            }
            let app = PhaseFollower.changes {
                appReader = $0.token
                decider.send(.followAppPhase($0))
            } leave: {
                decider.send(.leavePhase(nil, $0))
            }
            scene.resume()
            for await _ in phases { break }
            for await _ in app { break }
        }
        while reader != nil || appReader != nil { await broker.decided() }
        await broker.close()
    }

    @Test func phasesEndAlsoWhereTheKernelHoldsADeviceOfTheScene() async throws {
        let broker = try broker()
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
