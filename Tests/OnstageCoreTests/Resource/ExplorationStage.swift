@testable import OnstageCore

/// Two scenes that want one device, and what can happen to them, a step at a time: wishes, callbacks that return, nested
/// interruptions, the user, the screen, the device's threads that obey and answer late, a device that is lost and found.
///
/// Not here, but in ``ResourceWalkTests``: a device that does not open, more devices than one; not here, but in the table of
/// the machine: a release that takes too long.
struct ExplorationStage {
    enum Event: Hashable {
        case wish(Int, LifecycleState)
        /// The next step of the scene's lifecycle: a move, or one callback that returns.
        case step(Int)
        case began(Int)
        case ended(Int, shouldResume: Bool)
        case user(Int, isPaused: Bool)
        /// The device's thread does what it was told first, and answers.
        case obey(Int)
        case answer(Int)
        case lost(Int)
        case retry(Int)
        /// The screen goes on or off, which one scene's resource hears first.
        case screen(isOff: Bool, first: Int)
    }

    enum Order { case acquire, proceed, release }
    enum Answer { case resolved, opened, released, lost }
    enum Thread { case idle, resolved, open }

    struct Scene {
        var lifecycle = SceneLifecycle()
        var interruptions = Interruptions()
        var machine = ResourceMachine()
        var orders: [(order: Order, generation: Generation)] = []
        var answers: [(answer: Answer, generation: Generation)] = []
        var thread = Thread.idle
        var held = Generation(0)
        var activation: UInt64 = 0
        var owed = 0
        var canRetry = false
        /// What the arbiter knows of it, besides its rank, who has the device, and whether it is evicted.
        var isClaimed = false
        var isAsking = false
        var told: LifecycleCallback?

        /// How many acquires ago that was.
        func age(_ generation: Generation) -> Int { Int(machine.generation.number - generation.number) }
    }

    static let key = "card"
    var scenes = [Scene(), Scene()]
    var arbiter = Arbiter()
    var activations: UInt64 = 0
    var isScreenOff = false
    /// The first invariant that was broken.
    var fault: String?
    let now = MonotonicTime(nanoseconds: 0)

    init() {
        for index in scenes.indices {
            _ = try? scenes[index].lifecycle.add(ObserverID(1))
        }
    }

    /// What can happen here.
    var events: [Event] {
        var events: [Event] = scenes.indices.map { .screen(isOff: !isScreenOff, first: $0) }
        for (index, scene) in scenes.enumerated() {
            for state in LifecycleState.allCases where state != scene.lifecycle.decided {
                events.append(.wish(index, state))
            }
            if !scene.lifecycle.isSettled { events.append(.step(index)) }
            if scene.interruptions.standing.count < 2 { events.append(.began(index)) }
            if !scene.interruptions.standing.isEmpty {
                events += [.ended(index, shouldResume: true), .ended(index, shouldResume: false)]
            }
            events.append(.user(index, isPaused: !scene.machine.reasons.contains(.user)))
            if !scene.orders.isEmpty { events.append(.obey(index)) }
            if !scene.answers.isEmpty { events.append(.answer(index)) }
            if scene.thread == .open, scene.orders.isEmpty { events.append(.lost(index)) }
            if scene.canRetry { events.append(.retry(index)) }
        }
        return events
    }

    /// What goes on by itself, if anything does.
    private var underWay: Event? {
        for (index, scene) in scenes.enumerated() {
            if !scene.lifecycle.isSettled { return .step(index) }
            if !scene.orders.isEmpty { return .obey(index) }
            if !scene.answers.isEmpty { return .answer(index) }
            if scene.canRetry { return .retry(index) }
        }
        return nil
    }

    mutating func take(_ event: Event) {
        switch event {
        case .wish(let index, let state): wish(index, state)
        case .step(let index):
            let before = scenes[index].lifecycle.phase
            switch scenes[index].lifecycle.next() {
            case .transition(let from, let to):
                if from != before || from.hop(toward: to) != to { fail("\(from) → \(to) is no arrow") }
            case .deliver(_, let callback): told(index, callback)
            case nil: break
            }
        case .began(let index):
            let change = scenes[index].interruptions.began(reason: "call", kind: nil)
            if change.interrupted.contains(.audio) { apply(index, .pause(.interrupted, hurried: false)) }
        case .ended(let index, let shouldResume):
            guard let change = try? scenes[index].interruptions.ended(shouldResume: shouldResume) else {
                return fail("an interruption that stands cannot end")
            }
            if change.pausesPlayback { apply(index, .pause(.user, hurried: false)) }
            if change.freed.contains(.audio) { apply(index, .unpause(.interrupted)) }
        case .user(let index, let isPaused): apply(index, isPaused ? .pause(.user, hurried: false) : .unpause(.user))
        case .screen(let isOff, let first):
            isScreenOff = isOff
            for index in [first, 1 - first] {
                apply(index, isOff ? .pause(.screenOff, hurried: false) : .unpause(.screenOff))
            }
        case .obey(let index): obey(index)
        case .answer(let index):
            let (answer, generation) = scenes[index].answers.removeFirst()
            switch answer {
            case .resolved: apply(index, .resolved(generation))
            case .opened: apply(index, .opened(generation))
            case .released: apply(index, .released(generation, ReleaseDetail(released: now)))
            case .lost: apply(index, .lost(generation, DeviceError(.absent, operation: "read", device: "x")))
            }
        case .lost(let index):
            scenes[index].thread = .idle
            scenes[index].answers.append((.lost, scenes[index].held))
        case .retry(let index):
            scenes[index].canRetry = false
            apply(index, .retry)
        }
        check()
    }

    private mutating func wish(_ index: Int, _ state: LifecycleState) {
        let before = scenes[index].lifecycle.decided
        if state == .notRunning { scenes[index].lifecycle.end() } else { try? scenes[index].lifecycle.wish(state) }
        let decided = scenes[index].lifecycle.decided
        guard decided != before else { return }
        if decided == .active {
            activations += 1
            scenes[index].activation = activations
        }
        apply(index, decided == .active ? .unpause(.lifecycle) : .pause(.lifecycle, hurried: false))
        if decided == .active { decide(arbiter.rerank(ResourceID(UInt32(index)), rank(index))) }
    }

    private mutating func told(_ index: Int, _ callback: LifecycleCallback) {
        // Each observer's callbacks are a walk along the arrows: what it was told last says what it may be told next.
        let allowed: [LifecycleCallback] =
            switch scenes[index].told {
            case nil: [.didFinishLaunching]
            case .didFinishLaunching, .didEnterBackground: [.willEnterForeground, .willTerminate]
            case .willEnterForeground, .willResignActive: [.didBecomeActive, .didEnterBackground]
            case .didBecomeActive: [.willResignActive]
            case .willTerminate: []
            }
        if !allowed.contains(callback) { fail("\(callback) after \(String(describing: scenes[index].told))") }
        scenes[index].told = callback
    }

    private func rank(_ index: Int) -> Arbiter.Rank {
        Arbiter.Rank(activation: scenes[index].activation, binding: UInt64(index))
    }

    private mutating func apply(_ index: Int, _ event: ResourceMachine.Event) {
        let before = scenes[index].machine.reasons
        let effects = scenes[index].machine.apply(event, now: now)
        if case .pause(let reason, _) = event, !before.contains(reason) { scenes[index].owed += 1 }
        let id = ResourceID(UInt32(index))
        for effect in effects {
            switch effect {
            case .acquire(let generation): scenes[index].orders.append((.acquire, generation))
            case .proceed(let generation): scenes[index].orders.append((.proceed, generation))
            case .release(let generation, _): scenes[index].orders.append((.release, generation))
            case .claim:
                (scenes[index].isClaimed, scenes[index].isAsking) = (true, true)
                decide(arbiter.claim(id, key: Self.key, rank: rank(index)))
            case .withdraw:
                (scenes[index].isClaimed, scenes[index].isAsking) = (false, false)
                decide(arbiter.withdraw(id))
            case .givenBack:
                scenes[index].isAsking = false
                decide(arbiter.givenBack(id))
            case .startRetry: scenes[index].canRetry = true
            case .stopRetry: scenes[index].canRetry = false
            case .receipt: scenes[index].owed -= 1
            case .startWatchdog, .stopWatchdog, .force, .stateChanged: break
            }
        }
    }

    private mutating func decide(_ decisions: [Arbiter.Decision]) {
        for decision in decisions {
            switch decision {
            case .grant(let id):
                scenes[Int(id.number)].isAsking = false
                apply(Int(id.number), .granted(scenes[Int(id.number)].machine.generation))
            case .evict(let id, _):
                scenes[Int(id.number)].isAsking = false
                apply(Int(id.number), .pause(.evicted, hurried: true))
            case .restore(let id): apply(Int(id.number), .unpause(.evicted))
            }
        }
    }

    private mutating func obey(_ index: Int) {
        let (order, generation) = scenes[index].orders.removeFirst()
        switch (order, scenes[index].thread) {
        case (.acquire, .idle):
            scenes[index].thread = .resolved
            scenes[index].held = generation
            scenes[index].answers.append((.resolved, generation))
        case (.acquire, _): fail("acquired what is not given back")
        case (.proceed, .resolved) where scenes[index].held == generation:
            scenes[index].thread = .open
            scenes[index].answers.append((.opened, generation))
        case (.proceed, _): break
        case (.release, _):
            scenes[index].thread = .idle
            scenes[index].answers.append((.released, generation))
        }
    }

    private mutating func fail(_ text: String) {
        if fault == nil { fault = text }
    }

    /// What always holds.
    private mutating func check() {
        if scenes.allSatisfy({ $0.thread == .open }) { fail("two have one device open") }
        for scene in scenes {
            if scene.owed < 0 { fail("a receipt that nobody asked for") }
            if scene.machine.state == .open, !scene.machine.reasons.isEmpty { fail("open while a reason stands") }
            if scene.lifecycle.isEnded, scene.lifecycle.decided != .notRunning { fail("an end that was taken back") }
            let isHeld = scene.lifecycle.decided == .active
            if scene.machine.reasons.contains(.lifecycle) == isHeld {
                fail("the lifecycle's reason is not the lifecycle's")
            }
            if scene.machine.reasons.contains(.interrupted) != scene.interruptions.isInterrupted(.audio) {
                fail("the interruption's reason is not the interruption's")
            }
            if scene.machine.reasons.contains(.screenOff) != isScreenOff {
                fail("the screen's reason is not the screen's")
            }
        }
    }

    /// Lets all that is under way come to its end, and looks at what must be then; up to a place of `fine`, of which that is
    /// known. What it comes by is added to it.
    mutating func settle(_ fine: inout Set<Place>) {
        var trail: [Place] = []
        while fault == nil {
            let place = place
            if fine.contains(place) { break }
            trail.append(place)
            guard trail.count < 200 else { return fail("it does not come to rest") }
            guard let event = underWay else {
                rest()
                break
            }
            take(event)
        }
        if fault == nil { fine.formUnion(trail) }
    }

    private mutating func rest() {
        let wanting = scenes.indices.filter { scenes[$0].machine.reasons.subtracting(PauseReasons(.evicted)).isEmpty }
        let winner = wanting.max { scenes[$0].activation < scenes[$1].activation }
        for (index, scene) in scenes.enumerated() {
            if scene.owed != 0 { fail("\(scene.owed) receipts are missing") }
            if scene.lifecycle.phase != scene.lifecycle.decided { fail("the phase is not the last wish") }
            if (scene.machine.state == .open) != (index == winner) || (scene.thread == .open) != (index == winner) {
                fail("the last to become active has it, the other waits")
            }
        }
    }
}
