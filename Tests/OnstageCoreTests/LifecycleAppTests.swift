import OnstageCore
import Testing

/// The app: derived from its scenes, its background event held back.
@Suite struct LifecycleAppTests {
    /// Every set of states that the scenes of an app may stand at.
    static let sets: [Set<LifecycleState>] = (0..<32).map { bits in
        Set(LifecycleState.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
    }

    @Test(arguments: sets)
    func theAppStandsWhereItsForemostSceneStands(_ scenes: Set<LifecycleState>) {
        let expected: LifecycleState =
            if scenes.contains(.active) {
                .active
            } else if scenes.contains(.inactive) {
                .inactive
            } else if scenes.contains(.background) {
                .background
            } else if scenes.contains(.suspended) {
                .suspended
            } else {
                .notRunning
            }
        #expect(LifecycleState(appOf: scenes) == expected)
        var app = AppLifecycle()
        #expect(app.apply(.scenes(Array(scenes)), now: .ms(0)) == [])
        _ = app.run()
        #expect(app.phase == expected)
    }

    static let delays: [(Duration, Bool)] = [
        (.zero, true), (.milliseconds(1), true), (.milliseconds(700), true), (.seconds(5), true),
        (.nanoseconds(-1), false), (.seconds(5) + .nanoseconds(1), false), (.seconds(3600), false),
    ]

    @Test(arguments: delays)
    func aDelayOutsideOfItsRangeIsRefused(_ row: (delay: Duration, isLegal: Bool)) throws {
        if row.isLegal {
            #expect(try AppLifecycle(backgroundDelay: row.delay).backgroundDelay == row.delay)
        } else {
            #expect(throws: LifecycleError.backgroundDelay(row.delay)) { try AppLifecycle(backgroundDelay: row.delay) }
        }
        #expect(AppLifecycle().backgroundDelay == .milliseconds(700))
    }

    /// An app with observer 1 and one scene that stands at `state`.
    static func app(at state: LifecycleState, delay: Duration = .milliseconds(700)) throws -> AppLifecycle {
        var app = try AppLifecycle(backgroundDelay: delay)
        app.add(ObserverID(1))
        _ = app.apply(.scenes([state]), now: .ms(0))
        _ = app.run()
        return app
    }

    @Test func coldStart() {
        var app = AppLifecycle()
        app.add(ObserverID(1))
        _ = app.apply(.scenes([.inactive]), now: .ms(0))
        #expect(app.run() == ["→ inactive", "1 didFinishLaunching", "1 willEnterForeground"])
        _ = app.apply(.scenes([.active]), now: .ms(1))
        #expect(app.run() == ["→ active", "1 didBecomeActive"])
    }

    @Test func aReturnWithinTheDelayIsNoBackground() throws {
        var app = try Self.app(at: .active)
        #expect(app.apply(.scenes([.inactive]), now: .ms(1000)) == [])
        #expect(app.run() == ["→ inactive", "1 willResignActive"])
        #expect(app.apply(.scenes([.background]), now: .ms(1001)) == [.startTimer(deadline: .ms(1701))])
        #expect(app.run() == [])
        #expect(app.phase == .inactive)
        #expect(app.decided == .inactive)
        #expect(app.apply(.scenes([.background]), now: .ms(1500)) == [], "another scene moves: the timer runs on")
        #expect(app.apply(.scenes([.inactive]), now: .ms(1700)) == [.cancelTimer])
        #expect(app.run() == [], "nothing of the leaving is told")
        #expect(app.apply(.timer, now: .ms(1701)) == [], "a timer that was on its way is ignored")
        #expect(app.run() == [])
        _ = app.apply(.scenes([.active]), now: .ms(1702))
        #expect(app.run() == ["→ active", "1 didBecomeActive"])
    }

    @Test func fromActiveAtOnceToTheBackgroundItWaitsAtInactive() throws {
        var app = try Self.app(at: .active)
        #expect(app.apply(.scenes([.background]), now: .ms(0)) == [.startTimer(deadline: .ms(700))])
        #expect(app.run() == ["→ inactive", "1 willResignActive"])
        #expect(app.apply(.timer, now: .ms(699)) == [.startTimer(deadline: .ms(700))], "an early timer is set again")
        #expect(app.run() == [])
        #expect(app.apply(.timer, now: .ms(700)) == [])
        #expect(app.run() == ["→ background", "1 didEnterBackground"])
        #expect(app.apply(.timer, now: .ms(1400)) == [])
        #expect(app.run() == [])
    }

    @Test func aBackgroundThatHasBeenDecidedIsNotHeldBackAgain() throws {
        var app = try Self.app(at: .active)
        _ = app.apply(.scenes([.background, .background]), now: .ms(0))
        _ = app.run()
        _ = app.apply(.timer, now: .ms(700))
        #expect(app.phase == .inactive, "no step has been taken yet")
        #expect(app.apply(.scenes([.background, .suspended]), now: .ms(701)) == [])
        #expect(app.run() == ["→ background", "1 didEnterBackground"])
    }

    @Test func withoutADelayTheBackgroundIsToldAtOnce() throws {
        var app = try Self.app(at: .active, delay: .zero)
        #expect(app.apply(.scenes([.background]), now: .ms(0)) == [])
        #expect(app.run() == ["→ inactive", "1 willResignActive", "→ background", "1 didEnterBackground"])
    }

    @Test func suspendedCutsItShort() throws {
        var app = try Self.app(at: .active)
        _ = app.apply(.scenes([.background]), now: .ms(0))
        _ = app.run()
        #expect(app.apply(.scenes([.suspended]), now: .ms(5)) == [.cancelTimer])
        #expect(app.run() == ["→ background", "1 didEnterBackground", "→ suspended"])
    }

    @Test func theEndCutsItShort() throws {
        var app = try Self.app(at: .active)
        _ = app.apply(.scenes([.background]), now: .ms(0))
        _ = app.run()
        #expect(app.apply(.scenes([.notRunning]), now: .ms(5)) == [.cancelTimer])
        #expect(app.run() == ["→ background", "1 didEnterBackground", "→ notRunning", "1 willTerminate"])
    }

    @Test func aStartWithoutAScreenIsNotDelayed() throws {
        var app = AppLifecycle()
        #expect(app.apply(.scenes([.background]), now: .ms(0)) == [])
        #expect(app.run() == ["→ background"])
    }

    @Test func theWayBackFromSuspendedIsNotDelayed() throws {
        var app = try Self.app(at: .suspended)
        #expect(app.apply(.scenes([.background]), now: .ms(0)) == [])
        #expect(app.run() == ["→ background"])
    }

    @Test func aReturnThatIsTakenBackBeforeItShowsIsNone() throws {
        var app = try Self.app(at: .background)
        #expect(app.apply(.scenes([.inactive]), now: .ms(0)) == [])
        #expect(app.apply(.scenes([.background]), now: .ms(1)) == [])
        #expect(app.run() == [])
        #expect(app.phase == .background)
    }

    @Test func suspendedToNotRunningIsSilent() throws {
        var app = try Self.app(at: .suspended)
        _ = app.apply(.scenes([.notRunning]), now: .ms(0))
        #expect(app.run() == ["→ notRunning"])
    }

    @Test func oneOfTwoScenesLeavesUnnoticed() throws {
        var app = try Self.app(at: .active)
        #expect(app.apply(.scenes([.active, .inactive]), now: .ms(1)) == [])
        #expect(app.apply(.scenes([.active, .background]), now: .ms(2)) == [])
        #expect(app.apply(.scenes([.active, .notRunning]), now: .ms(3)) == [])
        #expect(app.run() == [])
    }

    @Test func aSceneAfterTheLastOneBeginsANewLife() throws {
        var app = try Self.app(at: .background)
        _ = app.apply(.scenes([.notRunning]), now: .ms(0))
        #expect(app.run() == ["→ notRunning", "1 willTerminate"])
        _ = app.apply(.scenes([.notRunning, .inactive]), now: .ms(1))
        #expect(app.run() == ["→ inactive", "1 didFinishLaunching", "1 willEnterForeground"])
    }

    @Test func observersComeLateAndGo() throws {
        var app = try Self.app(at: .active)
        let added = [app.add(ObserverID(2)), app.add(ObserverID(2))]
        #expect(added == [true, false])
        #expect(app.run() == ["2 didFinishLaunching", "2 willEnterForeground", "2 didBecomeActive"])
        let removed = [app.remove(ObserverID(1)), app.remove(ObserverID(1))]
        #expect(removed == [true, false])
        #expect(app.rung(of: ObserverID(1)) == nil)
        #expect(app.rung(of: ObserverID(2)) == .resumed)
        _ = app.apply(.scenes([.inactive]), now: .ms(0))
        #expect(app.run() == ["→ inactive", "2 willResignActive"])
    }
}

extension MonotonicTime {
    /// So many milliseconds after the start of a test's still clock.
    static func ms(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }
}

extension AppLifecycle {
    /// Takes all steps and writes them down.
    mutating func run() -> [String] {
        var lines: [String] = []
        while let step = next() { lines.append(LifecycleTranscript.line(step)) }
        return lines
    }
}
