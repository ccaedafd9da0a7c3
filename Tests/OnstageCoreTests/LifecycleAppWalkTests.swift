import OnstageCore
import OnstageTestSupport
import Testing

/// Scenes that move at random, a clock that is moved by hand, timers that come early, late, or after they were cancelled.
@Suite struct LifecycleAppWalkTests {
    static let seeds: [UInt64] = (1...200).map { $0 &* 0x9876_5432_1FED_CBA7 }

    @Test(arguments: seeds)
    func walk(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let delay = Duration.milliseconds([0, 1, 300, 700, 5000].randomElement(using: &random) ?? 0)
        var app = try AppLifecycle(backgroundDelay: delay)
        var scenes = [LifecycleState](repeating: .notRunning, count: 3)
        var now = MonotonicTime.ms(0)
        var timer: MonotonicTime?
        // The model: since when no scene is to be seen while the app still is; nil when that is not so.
        var leftAt: MonotonicTime?
        var phase = LifecycleState.notRunning
        var last: LifecycleCallback?
        app.add(ObserverID(1))
        for step in 0..<150 {
            let at: Comment = "seed \(seed), step \(step)"
            var effects: [AppLifecycle.Effect]
            if Bool.random(using: &random) { now = now + .milliseconds(Int.random(in: 0...400, using: &random)) }
            let before = phase
            if let deadline = timer, deadline <= now || Int.random(in: 0..<10, using: &random) == 0 {
                effects = app.apply(.timer, now: now)
                timer = nil
                if let left = leftAt, now - left >= delay { leftAt = nil }
            } else {
                let index = Int.random(in: 0..<scenes.count, using: &random)
                let arrows = LifecycleTableTests.arrows.filter { $0.0 == scenes[index] }
                scenes[index] = arrows.randomElement(using: &random)?.1 ?? .notRunning
                effects = app.apply(.scenes(scenes), now: now)
                let wished = LifecycleState(appOf: scenes)
                let wasInFront = before == .active || before == .inactive
                if wished != .background {
                    leftAt = nil
                } else if wasInFront, leftAt == nil, delay > .zero {
                    leftAt = now
                }
            }
            for effect in effects {
                switch effect {
                case .startTimer(let deadline):
                    #expect(timer == nil, at)
                    #expect(deadline == leftAt.map { $0 + delay }, at)
                    timer = deadline
                case .cancelTimer:
                    #expect(timer != nil, at)
                    timer = nil
                }
            }
            // All steps are taken: the app rests between two events.
            while let taken = app.next() {
                switch taken {
                case .transition(let from, let to):
                    #expect(from == phase, at)
                    #expect(LifecycleTableTests.arrows.contains { $0.0 == from && $0.1 == to }, at)
                    if from == .suspended, to == .notRunning { last = nil }
                    phase = to
                case .deliver(_, let callback):
                    #expect(LifecycleWalkTests.follows[last]?.contains(callback) == true, at)
                    last = callback == .willTerminate ? nil : callback
                }
            }
            let expected = leftAt == nil ? LifecycleState(appOf: scenes) : .inactive
            #expect(app.phase == expected, at)
            #expect(phase == expected, at)
            #expect(app.decided == expected, at)
            #expect((timer != nil) == (leftAt != nil), at)
            #expect(LifecycleWalkTests.height(last) == LifecycleWalkTests.height(expected), at)
        }
    }

    /// The same with callbacks that take their time: events come in the middle of a pass.
    @Test(arguments: seeds)
    func walkWithSlowCallbacks(_ seed: UInt64) throws {
        var random = SplitMix64(seed: ~seed)
        var app = AppLifecycle()
        var now = MonotonicTime.ms(0)
        var scene = LifecycleState.notRunning
        var timer: MonotonicTime?
        var phase = LifecycleState.notRunning
        var last: LifecycleCallback?
        app.add(ObserverID(1))
        for step in 0..<200 {
            let at: Comment = "seed \(seed), step \(step)"
            var effects: [AppLifecycle.Effect] = []
            if let deadline = timer, deadline <= now {
                timer = nil
                effects = app.apply(.timer, now: now)
            } else {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: now = now + .milliseconds(200)
                case 1:
                    scene =
                        LifecycleTableTests.arrows.filter { $0.0 == scene }.randomElement(using: &random)?.1 ?? scene
                    effects = app.apply(.scenes([scene]), now: now)
                default:
                    switch app.next() {
                    case nil:
                        #expect(phase == app.decided, at)
                        #expect(LifecycleWalkTests.height(last) == LifecycleWalkTests.height(phase), at)
                    case .transition(let from, let to)?:
                        #expect(from == phase, at)
                        #expect(LifecycleTableTests.arrows.contains { $0.0 == from && $0.1 == to }, at)
                        if from == .suspended, to == .notRunning { last = nil }
                        phase = to
                    case .deliver(_, let callback)?:
                        #expect(LifecycleWalkTests.follows[last]?.contains(callback) == true, at)
                        last = callback == .willTerminate ? nil : callback
                    }
                }
            }
            for effect in effects {
                switch effect {
                case .startTimer(let deadline):
                    #expect(timer == nil, at)
                    timer = deadline
                case .cancelTimer:
                    #expect(timer != nil, at)
                    timer = nil
                }
            }
            // What the app is to come to is what the scene says, or it is held back and a timer runs.
            #expect(app.decided == (timer == nil ? scene : .inactive), at)
            if timer != nil { #expect(scene == .background, at) }
        }
    }
}
