import Onstage
import OnstageCore
import OnstageTestKit
import Testing

/// The end of a broker, told to the last step.
@Suite("script: the end of a broker", .timeLimit(.minutes(1))) struct BrokerCloseTests {
    private final class Shade: ShadeSink {
        func showShade() {}
        func hideShade() {}
    }

    @Test func theLastStepsAreToldThoughACallbackIsOnItsWay() async throws {
        let (blocks, held) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        var configuration = Broker.Configuration()
        configuration.clock = StillClock()
        configuration.callbacks = .custom { held.yield($0) }
        let broker = try Broker(configuration)
        let recorder = EventRecorder(broker)
        let scene = broker.scene("main")
        scene.add(Shade())
        scene.resume()
        await broker.decided()
        #expect(scene.phase == .active)
        scene.pause()
        var iterator = blocks.makeAsyncIterator()
        let showShade = try #require(await iterator.next())
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        broker.close { ended.finish() }
        await broker.decided()
        showShade()
        for await _ in ends {}
        let steps = recorder.events.compactMap { event -> LifecycleState? in
            if case .sceneMoved(_, _, let to, _) = event { to } else { nil }
        }
        #expect(steps == [.inactive, .active, .inactive, .background, .notRunning])
    }

    @Test func withoutAShadeNothingWaitsForTheCallbackThread() async throws {
        var configuration = Broker.Configuration()
        configuration.clock = StillClock()
        configuration.callbacks = .custom { block in
            Issue.record("there is nobody to call")
            block()
        }
        let broker = try Broker(configuration)
        let recorder = EventRecorder(broker)
        let scene = broker.scene("main")
        for _ in 0..<3 {
            scene.resume()
            scene.pause()
        }
        await broker.decided()
        let activations = recorder.events.count { event in
            if case .sceneMoved(_, _, .active, _) = event { true } else { false }
        }
        #expect(activations == 3)
        await broker.close()
    }

    @Test(arguments: [0, 1]) func noSceneIsForgottenWhereAnotherNeverRan(first: Int) async throws {
        var configuration = Broker.Configuration()
        configuration.clock = StillClock()
        let broker = try Broker(configuration)
        let transcript = Transcript()
        let scenes = [broker.scene("one"), broker.scene("two")]
        let running = scenes[first]
        running.add(Names("o", transcript))
        let phases = running.phases
        running.resume()
        await transcript.wait(3)
        await broker.close()
        #expect(
            transcript.all.dropFirst(3) == [
                "o willResignActive", "o didEnterBackground", "o willTerminate", "o didDisconnect",
            ])
        var moves: [LifecycleState] = []
        for await change in phases { moves.append(change.new) }
        #expect(moves == [.inactive, .active, .inactive, .background, .notRunning])
    }
}
