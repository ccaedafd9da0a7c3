import Onstage
import OnstageCore
import OnstageTestKit
import Synchronization
import Testing

@Suite("script: timers of a scene", .timeLimit(.minutes(1))) struct SceneTimerTests {
    private let clock = StillClock()
    private let transcript = Transcript()

    /// Until the scene stands where it was wished to: its time goes by its phase.
    private func reach(_ phase: LifecycleState, _ scene: Scene, _ broker: Broker) async {
        while scene.phase != phase { await broker.decided() }
    }

    /// Until there is a deadline to wake for, or none: named behind the mail, when the last callback has returned.
    private func waits(_ wanted: Bool, _ broker: Broker) async {
        while (clock.nextDeadline != nil) != wanted { await broker.decided() }
    }

    /// Moves the time on to where nothing is due: what ran too early, or once too often, has run when this has.
    private func pass(_ milliseconds: Int, _ broker: Broker, _ scene: Scene? = nil) async {
        clock.advance(by: .milliseconds(milliseconds))
        for _ in 0..<3 {
            await broker.decided()  // what is due is looked at behind the mail
            if let scene { await scene.settled() }
        }
    }

    @Test func timersGoOnWhereTheyStoodAndMissedTicksAreLeftOut() async throws {
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        scene.every(.milliseconds(10)) { [transcript, scene] in transcript.add("tick \(scene.clock)") }
        scene.after(.milliseconds(25)) { [transcript, scene] in transcript.add("once \(scene.clock)") }
        await pass(100_000, broker)
        #expect(transcript.all.isEmpty && clock.nextDeadline == nil, "nothing is active, nothing is to wake for")
        scene.resume()
        await scene.settled()
        await pass(9, broker, scene)
        #expect(transcript.all.isEmpty)
        clock.advance(by: .milliseconds(1))
        await transcript.wait(1)
        await pass(4, broker, scene)
        scene.pause()
        await reach(.inactive, scene, broker)
        await waits(false, broker)
        await pass(3_600_000, broker)
        #expect(clock.nextDeadline == nil, "parked")
        #expect(scene.clock == .milliseconds(14))
        scene.resume()
        await scene.settled()
        await pass(5, broker, scene)
        #expect(transcript.all.count == 1)
        clock.advance(by: .milliseconds(1))
        await transcript.wait(2)
        clock.advance(by: .milliseconds(5))
        await transcript.wait(3)
        // Ten ticks at once are one.
        clock.advance(by: .milliseconds(101))
        await transcript.wait(4)
        await pass(3, broker, scene)
        clock.advance(by: .milliseconds(1))
        await transcript.wait(5)
        #expect(
            transcript.all == [
                "tick 0.01 seconds", "tick 0.02 seconds", "once 0.025 seconds", "tick 0.126 seconds",
                "tick 0.13 seconds",
            ])
        await broker.close()
    }

    @Test func nothingWakesForTimersOfASceneThatIsSuspended() async throws {
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        scene.every(.milliseconds(16)) { [transcript] in transcript.add("tick") }
        scene.resume()
        await scene.settled()
        clock.advance(by: .milliseconds(16))
        await transcript.wait(1)
        for wish in [LifecycleState.inactive, .background, .suspended] {
            scene.wish(wish)
            await reach(wish, scene, broker)
            await pass(60_000, broker)
            // Of the app's own delay in the background nothing is left by then either.
            await waits(false, broker)
            #expect(scene.phase == wish)
        }
        #expect(transcript.all == ["tick"])
        scene.resume()
        await scene.settled()
        clock.advance(by: .milliseconds(16))
        await transcript.wait(2)
        await broker.close()
    }

    @Test func aCallbackThatIsSlowIsNotRunTwiceAndTheLifecycleComesFirst() async throws {
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        let gate = FakeDevice.Gate()
        let isFirst = Mutex(true)
        scene.add(Names("o", transcript))
        scene.resume()
        await scene.settled()
        scene.every(.milliseconds(1)) { [transcript] in
            transcript.add("tick")
            if isFirst.withLock({ first in
                defer { first = false }
                return first
            }) {
                gate.pass()
            }
        }
        await broker.decided()
        clock.advance(by: .milliseconds(1))
        await gate.reached()
        clock.advance(by: .milliseconds(50))
        scene.pause()
        await broker.decided()
        clock.advance(by: .milliseconds(50))
        gate.open()
        await transcript.wait(5)
        scene.resume()
        await transcript.wait(7)
        await pass(0, broker, scene)
        #expect(
            transcript.all == [
                "o didFinishLaunching", "o willEnterForeground", "o didBecomeActive", "tick", "o willResignActive",
                "o didBecomeActive", "tick",
            ], "the hundred that were missed are one, and that comes behind the lifecycle")
        await broker.close()
    }

    @Test func oneThatIsDueWaitsForTheCallbackUnderWayAndForTheLifecycleBehindIt() async throws {
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        scene.add(Names("o", transcript))
        scene.resume()
        await scene.settled()
        scene.after(.milliseconds(1)) { [transcript, scene] in
            scene.after(.zero) { transcript.add("inner") }
            scene.pause()
            transcript.add("outer")
        }
        await broker.decided()
        clock.advance(by: .milliseconds(1))
        await transcript.wait(5)
        scene.resume()
        await transcript.wait(7)
        #expect(
            transcript.all.dropFirst(3) == ["outer", "o willResignActive", "o didBecomeActive", "inner"])
        await broker.close()
    }

    @Test func cancelledAndEndedTimersAreGone() async throws {
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        scene.resume()
        await scene.settled()
        let ticks = scene.every(.milliseconds(5)) { [transcript] in transcript.add("tick") }
        let once = scene.after(.milliseconds(7)) { [transcript] in transcript.add("once") }
        await waits(true, broker)
        once.cancel()
        clock.advance(by: .milliseconds(5))
        await transcript.wait(1)
        await pass(4, broker, scene)
        ticks.cancel()
        ticks.cancel()
        await waits(false, broker)
        scene.every(.milliseconds(5)) { [transcript] in transcript.add("late") }
        scene.end()
        scene.every(.milliseconds(5)) { [transcript] in transcript.add("after the end") }
        await pass(1000, broker)
        await broker.close()
        #expect(transcript.all == ["tick"])
        #expect(clock.nextDeadline == nil)
    }

    @Test func aTickThatIsOnItsWayIsCalledOffToo() async throws {
        let broker = try Broker(still: clock)
        let (one, two) = (broker.scene("one"), broker.scene("two"))
        for scene in [one, two] {
            scene.resume()
            await scene.settled()
        }
        let gate = FakeDevice.Gate()
        let ticks = two.every(.milliseconds(5)) { [transcript] in transcript.add("tick") }
        one.after(.milliseconds(4)) { gate.pass() }
        await waits(true, broker)
        clock.advance(by: .milliseconds(4))
        await gate.reached()
        await waits(true, broker)
        // Behind the block that is held, on the same thread.
        clock.advance(by: .milliseconds(1))
        await waits(false, broker)
        ticks.cancel()
        gate.open()
        await broker.close()
        #expect(transcript.all.isEmpty)
    }

    @Test func aTimerThatIsCancelledLetsGoOfItsBlock() async throws {
        final class Token: Sendable {}
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        weak var token: Token?
        let timer: SceneTimer
        do {
            let made = Token()
            token = made
            timer = scene.every(.seconds(1)) { _ = made }
        }
        await broker.decided()
        #expect(token != nil)
        timer.cancel()
        while token != nil { await broker.decided() }
        await broker.close()
    }

    @Test func aTimerMadeByATimerAndOneOfAnotherScene() async throws {
        let broker = try Broker(still: clock)
        let (one, two) = (broker.scene("one"), broker.scene("two"))
        one.resume()
        two.resume()
        await one.settled()
        await two.settled()
        one.after(.milliseconds(1)) { [transcript, one] in
            transcript.add("outer")
            one.after(.zero) { transcript.add("inner") }
        }
        two.every(.milliseconds(2)) { [transcript] in transcript.add("two") }
        await broker.decided()
        clock.advance(by: .milliseconds(1))
        await transcript.wait(2)
        one.pause()
        await reach(.inactive, one, broker)
        clock.advance(by: .milliseconds(1))
        await transcript.wait(3)
        #expect(transcript.all == ["outer", "inner", "two"])
        await broker.close()
    }

    @Test func aTimerThatCancelsItselfTicksNoMore() async throws {
        let broker = try Broker(still: clock)
        let scene = broker.scene("main")
        let timer = Mutex<SceneTimer?>(nil)
        scene.resume()
        await scene.settled()
        timer.withLock { timer in timer = scene.every(.zero) { [transcript] in transcript.add("tick") } }
        scene.every(.milliseconds(1)) { [transcript] in
            transcript.add("cancels")
            timer.withLock { $0 }?.cancel()
        }
        await broker.decided()
        clock.advance(by: .milliseconds(1))
        await transcript.wait(2)
        clock.advance(by: .milliseconds(1))
        await transcript.wait(3)
        await pass(0, broker, scene)
        #expect(transcript.all == ["tick", "cancels", "cancels"], "nothing comes more often than each millisecond")
        await broker.close()
    }
}
