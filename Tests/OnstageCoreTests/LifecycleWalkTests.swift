import OnstageCore
import OnstageTestSupport
import Testing

/// Random wishes, observers that come and go, at any moment; and what always holds.
@Suite struct LifecycleWalkTests {
    static let seeds: [UInt64] = (1...400).map { $0 &* 0x1234_5678_9ABC_DEF1 }
    static let stepsPerSeed = 200

    /// What may follow what, for one observer; nil is before the first.
    static let follows: [LifecycleCallback?: Set<LifecycleCallback>] = [
        nil: [.didFinishLaunching],
        .didFinishLaunching: [.willEnterForeground, .willTerminate],
        .willEnterForeground: [.didBecomeActive, .didEnterBackground],
        .didBecomeActive: [.willResignActive],
        .willResignActive: [.didBecomeActive, .didEnterBackground],
        .didEnterBackground: [.willEnterForeground, .willTerminate],
        .willTerminate: [],
    ]

    /// How high an observer stands that has heard this last.
    static func height(_ last: LifecycleCallback?) -> Int {
        switch last {
        case nil, .willTerminate: 0
        case .didFinishLaunching, .didEnterBackground: 1
        case .willEnterForeground, .willResignActive: 2
        case .didBecomeActive: 3
        }
    }

    static func height(_ state: LifecycleState) -> Int {
        switch state {
        case .notRunning: 0
        case .background, .suspended: 1
        case .inactive: 2
        case .active: 3
        }
    }

    /// The plain model beside the machine.
    struct Model {
        var observers: [(id: UInt32, last: LifecycleCallback?)] = []
        var nextID: UInt32 = 1
        var wish = LifecycleState.notRunning
        var ended = false
        var phase = LifecycleState.notRunning
        var silent = false
        var stepsSinceChange = 0
        /// The last delivery, for the order within one pass.
        var previous: (id: UInt32, callback: LifecycleCallback)?
    }

    @Test(arguments: seeds)
    func walk(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var scene = SceneLifecycle()
        var model = Model()
        // A third of the walks wishes the end now and then, the others live long.
        let ends = Int.random(in: 0..<3, using: &random) == 0
        for step in 0..<Self.stepsPerSeed {
            let at: Comment = "seed \(seed), step \(step)"
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let id = ObserverID(model.nextID)
                if model.ended {
                    #expect(throws: LifecycleError.ended, at) { try scene.add(id) }
                } else {
                    #expect(try scene.add(id), at)
                    model.observers.append((model.nextID, nil))
                    model.nextID += 1
                    model.stepsSinceChange = 0
                }
            case 1:
                guard let victim = model.observers.randomElement(using: &random) else { continue }
                let removed = scene.remove(ObserverID(victim.id))
                #expect(removed, at)
                model.observers.removeAll { $0.id == victim.id }
                model.stepsSinceChange = 0
            case 2, 3, 4:
                let states = LifecycleState.allCases.filter { ends || $0 != .notRunning }
                guard let state = states.randomElement(using: &random) else { continue }
                if model.ended, state != .notRunning {
                    #expect(throws: LifecycleError.ended, at) { try scene.wish(state) }
                } else {
                    try scene.wish(state)
                    if state == .notRunning, model.wish != .notRunning { model.ended = true }
                    model.wish = state
                    model.stepsSinceChange = 0
                }
            default:
                take(&scene, &model, at)
            }
            #expect(scene.decided == model.wish, at)
            #expect(scene.phase == model.phase, at)
        }
        var left = 10 * (model.observers.count + 1)
        while take(&scene, &model, "seed \(seed), at the end") {
            left -= 1
            try #require(left > 0)
        }
    }

    /// Takes one step and checks it; false when there was none.
    @discardableResult
    func take(_ scene: inout SceneLifecycle, _ model: inout Model, _ at: Comment) -> Bool {
        let settled = scene.isSettled
        let step = scene.next()
        #expect(settled == (step == nil), at)
        if step != nil { model.stepsSinceChange += 1 }
        // At most down to the bottom and up to the top, each told to everybody.
        #expect(model.stepsSinceChange <= 6 * (model.observers.count + 1) + 2, at)
        switch step {
        case nil:
            #expect(model.phase == model.wish, at)
            for observer in model.observers where !model.silent {
                #expect(Self.height(observer.last) == Self.height(model.wish), at)
            }
            return false
        case .transition(let from, let to):
            #expect(from == model.phase, at)
            #expect(LifecycleTableTests.arrows.contains { $0.0 == from && $0.1 == to }, at)
            model.phase = to
            model.previous = nil
            if from == .suspended, to == .notRunning { model.silent = true }
        case .deliver(let id, let callback):
            #expect(!model.silent, at)
            guard let index = model.observers.firstIndex(where: { $0.id == id.number }) else {
                Issue.record("told an observer that is not there: \(at)")
                return true
            }
            #expect(Self.follows[model.observers[index].last]?.contains(callback) == true, at)
            model.observers[index].last = callback
            if let previous = model.previous, previous.callback == callback {
                #expect(callback.isUp ? previous.id < id.number : previous.id > id.number, at)
            }
            model.previous = (id.number, callback)
            let heights = model.observers.map { Self.height($0.last) }
            #expect(zip(heights, heights.dropFirst()).allSatisfy { $0 >= $1 }, "an earlier one is never below: \(at)")
            // Nobody is told of more than the phase has come to.
            #expect(callback.isUp ? heights[index] <= Self.height(model.phase) : true, at)
        }
        return true
    }
}
