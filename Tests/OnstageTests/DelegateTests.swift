import Onstage
import OnstageCore
import OnstageTestKit
import Testing

@Suite("script: observers and delegates", .timeLimit(.minutes(1))) struct DelegateTests {
    private let clock = StillClock()
    private let transcript = Transcript()

    private final class Activity: ActivityObserver {
        let transcript: Transcript
        init(_ transcript: Transcript) { self.transcript = transcript }
        func onCreate(_ scene: Scene) { transcript.add("onCreate") }
        func onStart(_ scene: Scene) { transcript.add("onStart") }
        func onResume(_ scene: Scene) { transcript.add("onResume") }
        func onPause(_ scene: Scene) { transcript.add("onPause") }
        func onStop(_ scene: Scene) { transcript.add("onStop") }
        func onDestroy(_ scene: Scene) { transcript.add("onDestroy") }
    }

    private final class Delegate: AppDelegate {
        let transcript: Transcript
        init(_ transcript: Transcript) { self.transcript = transcript }
        func didFinishLaunching(_ app: Broker) { transcript.add("didFinishLaunching \(app.phase)") }
        func willEnterForeground(_ app: Broker) { transcript.add("willEnterForeground \(app.phase)") }
        func didBecomeActive(_ app: Broker) { transcript.add("didBecomeActive \(app.phase)") }
        func willResignActive(_ app: Broker) { transcript.add("willResignActive \(app.phase)") }
        func didEnterBackground(_ app: Broker) { transcript.add("didEnterBackground \(app.phase)") }
        func willTerminate(_ app: Broker) { transcript.add("willTerminate \(app.phase)") }
    }

    @Test func androidsNamesAreAViewOnTheSameMachine() async throws {
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        scene.add(Activity(transcript))
        scene.resume()
        await transcript.wait(3)
        scene.pause()
        await transcript.wait(4)
        scene.resume()
        await transcript.wait(5)
        scene.suspend()
        await transcript.wait(7)
        scene.resume()
        await transcript.wait(9)
        scene.end()
        await broker.close()
        #expect(
            transcript.all == [
                "onCreate", "onStart", "onResume", "onPause", "onResume", "onPause", "onStop", "onStart", "onResume",
                "onPause", "onStop", "onDestroy",
            ])
    }

    @Test func theAppIsToldInItsOwnWordsAndOnlyAStartOnTheScreenEnters() async throws {
        let broker = try Broker(still: clock)
        broker.add(Delegate(transcript))
        let scene = broker.scene("main")
        scene.enterBackground()
        await transcript.wait(1)
        await broker.decided()
        #expect(transcript.all == ["didFinishLaunching background"])
        scene.resume()
        await transcript.wait(3)
        scene.enterBackground()
        await transcript.wait(4)
        await broker.decided()
        clock.advance(by: .milliseconds(700))
        await transcript.wait(5)
        let phases = broker.phases
        scene.suspend()
        for await change in phases where change.new == .suspended { break }
        scene.end()
        await broker.close()
        #expect(
            transcript.all == [
                "didFinishLaunching background", "willEnterForeground inactive", "didBecomeActive active",
                "willResignActive inactive", "didEnterBackground background",
            ], "suspended → notRunning has no callback")
    }

    @Test func aSceneIsDisconnectedBehindItsEndAndNotWhereItsProcessIsGone() async throws {
        let broker = try Broker(still: clock)
        let (one, two) = (broker.scene("one"), broker.scene("two"))
        for (scene, name) in [(one, "a"), (one, "b"), (two, "gone")] { scene.add(Names(name, transcript)) }
        two.enterBackground()
        await transcript.wait(1)
        let phases = two.phases
        two.suspend()
        for await change in phases where change.new == .suspended { break }
        two.end()
        one.enterBackground()
        await transcript.wait(3)
        one.end()
        await broker.close()
        #expect(
            transcript.all == [
                "gone didFinishLaunching", "a didFinishLaunching", "b didFinishLaunching",
                "b willTerminate", "b didDisconnect", "a willTerminate", "a didDisconnect",
            ])
    }

    private func told(_ meanwhile: (Scene) async -> Void) async throws -> [String] {
        let broker = try Broker(still: clock)
        broker.add(Delegate(transcript))
        let scene = broker.scene("main")
        scene.add(Names("a", transcript))
        scene.add(Names("b", transcript))
        scene.resume()
        await transcript.wait(9)
        await meanwhile(scene)
        await broker.close()
        return transcript.all
    }

    @Test func appAndSceneFromTheColdStartToTheEnd() async throws {
        let all = try await told { scene in
            scene.pause()
            await transcript.wait(12)
            scene.resume()
            await transcript.wait(15)
        }
        #expect(
            all.prefix(9).sorted() == [
                "a didBecomeActive", "a didFinishLaunching", "a willEnterForeground", "b didBecomeActive",
                "b didFinishLaunching", "b willEnterForeground", "didBecomeActive active",
                "didFinishLaunching inactive", "willEnterForeground inactive",
            ])
        #expect(
            all.filter { $0.hasPrefix("a ") || $0.hasPrefix("b ") }.suffix(6) == [
                "b didEnterBackground", "a didEnterBackground", "b willTerminate", "b didDisconnect", "a willTerminate",
                "a didDisconnect",
            ])
        #expect(all.last == "willTerminate notRunning", "behind all of the scene's own")
        #expect(all.count { $0.hasPrefix("willTerminate") } == 1)
    }

    @Test(arguments: [false, true]) func theAppHearsOfItsEndWhicheverSceneIsSuspended(isFirst: Bool) async throws {
        let broker = try Broker(still: clock)
        broker.add(Delegate(transcript))
        let scenes = [broker.scene("one"), broker.scene("two")]
        for scene in scenes { scene.enterBackground() }
        await transcript.wait(1)
        let suspended = scenes[isFirst ? 0 : 1]
        suspended.suspend()
        while suspended.phase != .suspended { await broker.decided() }
        await broker.close()
        #expect(transcript.all == ["didFinishLaunching background", "willTerminate notRunning"])
    }
}
