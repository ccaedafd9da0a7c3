import OnstageCore
import Testing

/// One row per arrow, and one per wish.
@Suite struct LifecycleTableTests {
    /// All 5 × 5 wishes: where a scene stands, what it is wished to be, what it visits.
    static let wishes: [(LifecycleState, LifecycleState, [LifecycleState])] = [
        (.notRunning, .notRunning, []),
        (.notRunning, .inactive, [.inactive]),
        (.notRunning, .active, [.inactive, .active]),
        (.notRunning, .background, [.background]),
        (.notRunning, .suspended, [.background, .suspended]),
        (.inactive, .notRunning, [.background, .notRunning]),
        (.inactive, .inactive, []),
        (.inactive, .active, [.active]),
        (.inactive, .background, [.background]),
        (.inactive, .suspended, [.background, .suspended]),
        (.active, .notRunning, [.inactive, .background, .notRunning]),
        (.active, .inactive, [.inactive]),
        (.active, .active, []),
        (.active, .background, [.inactive, .background]),
        (.active, .suspended, [.inactive, .background, .suspended]),
        (.background, .notRunning, [.notRunning]),
        (.background, .inactive, [.inactive]),
        (.background, .active, [.inactive, .active]),
        (.background, .background, []),
        (.background, .suspended, [.suspended]),
        (.suspended, .notRunning, [.notRunning]),
        (.suspended, .inactive, [.background, .inactive]),
        (.suspended, .active, [.background, .inactive, .active]),
        (.suspended, .background, [.background]),
        (.suspended, .suspended, []),
    ]

    @Test(arguments: wishes)
    func aWishVisitsEveryStateInOrder(_ row: (from: LifecycleState, wish: LifecycleState, chain: [LifecycleState]))
        throws
    {
        #expect(row.from.chain(to: row.wish) == row.chain)
        var scene = try SceneLifecycle(observers: 0, at: row.from)
        try scene.wish(row.wish)
        #expect(scene.decided == row.wish)
        #expect(scene.phase == row.from, "a wish moves nothing by itself")
        #expect(try scene.run() == row.chain.map { "→ \($0)" })
        #expect(scene.phase == row.wish)
        #expect(scene.isSettled)
    }

    @Test func theTableHasAllWishes() {
        var pairs: Set<[LifecycleState]> = []
        for row in Self.wishes { pairs.insert([row.0, row.1]) }
        #expect(pairs.count == 25)
    }

    /// All arrows, and what one observer is told of each.
    static let arrows: [(LifecycleState, LifecycleState, [LifecycleCallback])] = [
        (.notRunning, .inactive, [.didFinishLaunching, .willEnterForeground]),
        (.notRunning, .background, [.didFinishLaunching]),
        (.inactive, .active, [.didBecomeActive]),
        (.active, .inactive, [.willResignActive]),
        (.inactive, .background, [.didEnterBackground]),
        (.background, .inactive, [.willEnterForeground]),
        (.background, .suspended, []),
        (.suspended, .background, []),
        (.background, .notRunning, [.willTerminate]),
        (.suspended, .notRunning, []),
    ]

    @Test(arguments: arrows)
    func anArrowTellsItsCallbacks(_ row: (from: LifecycleState, to: LifecycleState, callbacks: [LifecycleCallback]))
        throws
    {
        #expect(LifecycleCallback.callbacks(from: row.from, to: row.to) == row.callbacks)
        var scene = try SceneLifecycle(observers: 1, at: row.from)
        try scene.wish(row.to)
        #expect(try scene.run() == ["→ \(row.to)"] + row.callbacks.map { "1 \($0)" })
    }

    @Test func noOtherPairIsAnArrow() {
        for from in LifecycleState.allCases {
            for to in LifecycleState.allCases where !Self.arrows.contains(where: { $0.0 == from && $0.1 == to }) {
                #expect(LifecycleCallback.callbacks(from: from, to: to) == nil, "\(from) → \(to)")
            }
        }
    }

    static let names: [(LifecycleCallback, String, Bool)] = [
        (.didFinishLaunching, "onCreate", true),
        (.willEnterForeground, "onStart", true),
        (.didBecomeActive, "onResume", true),
        (.willResignActive, "onPause", false),
        (.didEnterBackground, "onStop", false),
        (.willTerminate, "onDestroy", false),
    ]

    @Test(arguments: names)
    func callbacksHaveAndroidsNames(_ row: (callback: LifecycleCallback, android: String, isUp: Bool)) {
        #expect(row.callback.androidName == row.android)
        #expect(row.callback.isUp == row.isUp)
    }

    @Test(arguments: LifecycleState.allCases)
    func afterTheEndOnlyTheEndCanBeWished(_ from: LifecycleState) throws {
        guard from != .notRunning else { return }
        var scene = try SceneLifecycle(observers: 1, at: from, .notRunning)
        let before = scene
        for state in LifecycleState.allCases where state != .notRunning {
            #expect(throws: LifecycleError.ended) { try scene.wish(state) }
        }
        #expect(throws: LifecycleError.ended) { try scene.add(ObserverID(9)) }
        try scene.wish(.notRunning)
        #expect(scene == before, "a refused event changes nothing")
        #expect(scene.next() == nil)
        #expect(scene.isEnded)
    }

    @Test(arguments: [0, 1, 2, 3, 4])
    func theEndIsFinalHoweverFarTheCallbacksHaveCome(_ steps: Int) throws {
        var scene = SceneLifecycle()
        try scene.add(ObserverID(1))
        try scene.wish(.active)
        for _ in 0..<steps { _ = scene.next() }
        try scene.wish(.notRunning)
        #expect(scene.decided == .notRunning)
        #expect(throws: LifecycleError.ended) { try scene.wish(.active) }
        _ = try scene.run()
        #expect(scene.phase == .notRunning)
    }

    @Test func theEndOfASceneThatNeverRanIsItsPresentState() throws {
        var scene = SceneLifecycle()
        try scene.wish(.notRunning)
        #expect(!scene.isEnded)
        try scene.wish(.inactive)
        #expect(try scene.run() == ["→ inactive"])
    }
}
