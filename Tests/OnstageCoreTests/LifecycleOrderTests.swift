import OnstageCore
import Testing

/// Transcripts: who is told what, in which order.
@Suite struct LifecycleOrderTests {
    @Test func coldStart() throws {
        var scene = try SceneLifecycle(observers: 1)
        try scene.wish(.active)
        #expect(
            try scene.run() == [
                "→ inactive", "1 didFinishLaunching", "1 willEnterForeground", "→ active", "1 didBecomeActive",
            ])
    }

    @Test func startWithoutAScreen() throws {
        var scene = try SceneLifecycle(observers: 1)
        #expect(try scene.callbacks(to: .background) == ["1 didFinishLaunching"])
        #expect(try scene.callbacks(to: .active) == ["1 willEnterForeground", "1 didBecomeActive"])
    }

    @Test func toTheBackgroundAndBack() throws {
        var scene = try SceneLifecycle(observers: 1, at: .active)
        #expect(try scene.callbacks(to: .background) == ["1 willResignActive", "1 didEnterBackground"])
        #expect(try scene.callbacks(to: .active) == ["1 willEnterForeground", "1 didBecomeActive"])
    }

    @Test func interruptionAndReturn() throws {
        var scene = try SceneLifecycle(observers: 1, at: .active)
        #expect(try scene.callbacks(to: .inactive) == ["1 willResignActive"])
        #expect(try scene.callbacks(to: .active) == ["1 didBecomeActive"])
    }

    @Test func suspendedAndReturnDoNotLaunchAgain() throws {
        var scene = try SceneLifecycle(observers: 1, at: .active)
        #expect(try scene.callbacks(to: .suspended) == ["1 willResignActive", "1 didEnterBackground"])
        #expect(try scene.callbacks(to: .active) == ["1 willEnterForeground", "1 didBecomeActive"])
    }

    @Test func aClosedSceneGoesThroughTheBackground() throws {
        var scene = try SceneLifecycle(observers: 1, at: .active)
        #expect(
            try scene.callbacks(to: .notRunning) == ["1 willResignActive", "1 didEnterBackground", "1 willTerminate"])
    }

    @Test func fromSuspendedTheEndIsSilent() throws {
        var scene = try SceneLifecycle(observers: 2, at: .active, .suspended)
        try scene.wish(.notRunning)
        #expect(try scene.run() == ["→ notRunning"])
        #expect(scene.rung(of: ObserverID(1)) == LifecycleRung.none)
    }

    @Test func upOldestFirstDownNewestFirstAllOneStateAtATime() throws {
        var scene = try SceneLifecycle(observers: 3)
        try scene.wish(.active)
        #expect(
            try scene.run() == [
                "→ inactive", "1 didFinishLaunching", "2 didFinishLaunching", "3 didFinishLaunching",
                "1 willEnterForeground", "2 willEnterForeground", "3 willEnterForeground",
                "→ active", "1 didBecomeActive", "2 didBecomeActive", "3 didBecomeActive",
            ])
        try scene.wish(.notRunning)
        #expect(
            try scene.run() == [
                "→ inactive", "3 willResignActive", "2 willResignActive", "1 willResignActive",
                "→ background", "3 didEnterBackground", "2 didEnterBackground", "1 didEnterBackground",
                "→ notRunning", "3 willTerminate", "2 willTerminate", "1 willTerminate",
            ])
    }

    @Test func aPauseInsideDidBecomeActiveRestartsThePass() throws {
        var scene = try SceneLifecycle(observers: 3, at: .inactive)
        try scene.wish(.active)
        let lines = try scene.run { scene, line in
            guard line == "2 didBecomeActive" else { return }
            try scene.wish(.inactive)
            #expect(scene.phase == .active, "a wish never nests")
            #expect(scene.decided == .inactive)
        }
        #expect(
            lines == [
                "→ active", "1 didBecomeActive", "2 didBecomeActive",
                "→ inactive", "2 willResignActive", "1 willResignActive",
            ])
    }

    @Test func aResumeInsideWillResignActiveRestartsThePass() throws {
        var scene = try SceneLifecycle(observers: 3, at: .active)
        try scene.wish(.background)
        let lines = try scene.run { scene, line in
            if line == "2 willResignActive" { try scene.wish(.active) }
        }
        #expect(
            lines == [
                "→ inactive", "3 willResignActive", "2 willResignActive",
                "→ active", "2 didBecomeActive", "3 didBecomeActive",
            ])
    }

    @Test func anEndInsideDidFinishLaunchingTellsOnlyWhoWasLaunched() throws {
        var scene = try SceneLifecycle(observers: 2)
        try scene.wish(.active)
        let lines = try scene.run { scene, line in
            if line == "1 didFinishLaunching" { try scene.wish(.notRunning) }
        }
        #expect(lines == ["→ inactive", "1 didFinishLaunching", "→ background", "→ notRunning", "1 willTerminate"])
    }

    @Test func aFurtherWishTheSameWayFinishesTheStateFirst() throws {
        var scene = try SceneLifecycle(observers: 2, at: .active)
        try scene.wish(.inactive)
        let lines = try scene.run { scene, line in
            if line == "2 willResignActive" { try scene.wish(.background) }
        }
        #expect(
            lines == [
                "→ inactive", "2 willResignActive", "1 willResignActive",
                "→ background", "2 didEnterBackground", "1 didEnterBackground",
            ])
    }

    @Test func aBurstOfWishesLeavesNoTrace() throws {
        var scene = try SceneLifecycle(observers: 2, at: .active)
        try scene.wish(.background)
        try scene.wish(.inactive)
        try scene.wish(.active)
        #expect(try scene.run() == [])
    }

    @Test func aWishForThePresentStateDoesNothing() throws {
        for state in LifecycleState.allCases {
            var scene = try SceneLifecycle(observers: 2, at: state)
            let before = scene
            try scene.wish(state)
            #expect(scene == before)
            #expect(scene.next() == nil)
        }
    }

    static let catchUps: [(LifecycleState, [LifecycleCallback])] = [
        (.notRunning, []),
        (.inactive, [.didFinishLaunching, .willEnterForeground]),
        (.active, [.didFinishLaunching, .willEnterForeground, .didBecomeActive]),
        (.background, [.didFinishLaunching]),
        (.suspended, [.didFinishLaunching]),
    ]

    @Test(arguments: catchUps)
    func aLateObserverCatchesUp(_ row: (state: LifecycleState, callbacks: [LifecycleCallback])) throws {
        var scene = try SceneLifecycle(observers: 2, at: row.state)
        #expect(try scene.add(ObserverID(3)))
        #expect(try scene.run() == row.callbacks.map { "3 \($0)" })
    }

    @Test func anObserverAddedInsideACallbackDoesNotOvertake() throws {
        var scene = try SceneLifecycle(observers: 2, at: .inactive)
        try scene.wish(.active)
        let lines = try scene.run { scene, line in
            if line == "1 didBecomeActive" { try scene.add(ObserverID(3)) }
        }
        #expect(
            lines == [
                "→ active", "1 didBecomeActive", "3 didFinishLaunching", "3 willEnterForeground",
                "2 didBecomeActive", "3 didBecomeActive",
            ])
    }

    @Test func anObserverAddedOnTheWayDownIsNotTakenUpBetween() throws {
        var scene = try SceneLifecycle(observers: 1, at: .active)
        try scene.wish(.background)
        let lines = try scene.run { scene, line in
            if line == "1 willResignActive" { try scene.add(ObserverID(2)) }
        }
        #expect(
            lines == [
                "→ inactive", "1 willResignActive", "→ background", "1 didEnterBackground", "2 didFinishLaunching",
            ])
    }

    @Test func removalSendsNothing() throws {
        var scene = try SceneLifecycle(observers: 3, at: .active)
        let removed = [scene.remove(ObserverID(2)), scene.remove(ObserverID(2))]
        #expect(removed == [true, false])
        #expect(scene.next() == nil)
        #expect(try scene.callbacks(to: .inactive) == ["3 willResignActive", "1 willResignActive"])
    }

    @Test func oneRemovedInsideACallbackIsNotToldAnyMore() throws {
        var scene = try SceneLifecycle(observers: 3, at: .active)
        try scene.wish(.inactive)
        let lines = try scene.run { scene, line in
            if line == "3 willResignActive" { scene.remove(ObserverID(2)) }
        }
        #expect(lines == ["→ inactive", "3 willResignActive", "1 willResignActive"])
    }

    @Test func addingTwiceIsOnce() throws {
        var scene = try SceneLifecycle(observers: 2, at: .inactive)
        #expect(try scene.add(ObserverID(1)) == false)
        #expect(try scene.callbacks(to: .active) == ["1 didBecomeActive", "2 didBecomeActive"])
    }
}
