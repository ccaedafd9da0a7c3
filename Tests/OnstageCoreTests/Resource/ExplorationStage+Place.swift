@testable import OnstageCore

// What tells two stages apart.
extension ExplorationStage {
    /// All that the future depends on, packed: two stages of one place go the same ways.
    ///
    /// Numbers that only count up are left out: of activations it counts which is the newer, of generations how old they are.
    /// Nor does it count which scene is called the first: nothing here goes by that.
    struct Place: Hashable {
        let state: UInt64
        let queues: UInt64
        let otherState: UInt64
        let otherQueues: UInt64

        init(_ scene: (state: UInt64, queues: UInt64), _ other: (state: UInt64, queues: UInt64)) {
            let (low, high) = scene <= other ? (scene, other) : (other, scene)
            (state, queues, otherState, otherQueues) = (low.state, low.queues, high.state, high.queues)
        }
    }

    /// A few small numbers in one.
    struct Packed {
        private(set) var word: UInt64 = 1

        mutating func add(_ number: Int, below limit: Int) {
            precondition(number >= 0 && number < limit, "\(number) has no room")
            let (scaled, isFull) = word.multipliedReportingOverflow(by: UInt64(limit))
            precondition(!isFull, "the word is full")
            word = scaled + UInt64(number)
        }

        mutating func add(_ flag: Bool) { add(flag ? 1 : 0, below: 2) }
    }

    var place: Place {
        Place((state(0, 1), queues(0)), (state(1, 0), queues(1)))
    }

    private func state(_ index: Int, _ other: Int) -> UInt64 {
        let scene = scenes[index]
        var packed = Packed()
        packed.add(Self.number(scene.lifecycle.phase), below: 5)
        packed.add(Self.number(scene.lifecycle.decided), below: 5)
        packed.add(scene.lifecycle.rung(of: ObserverID(1))?.rawValue ?? 4, below: 5)
        packed.add(scene.lifecycle.isEnded)
        packed.add(scene.interruptions.standing.count, below: 3)
        packed.add(Self.number(scene.machine.phase), below: 8)
        packed.add(Int(scene.machine.reasons.rawValue), below: 256)
        packed.add(Self.number(scene.thread), below: 3)
        packed.add(scene.thread == .idle ? 0 : scene.age(scene.held), below: 8)
        packed.add(scene.owed, below: 32)
        packed.add(scene.canRetry)
        packed.add(scene.isClaimed)
        packed.add(scene.isAsking)
        packed.add(scene.activation > scenes[other].activation)
        packed.add(arbiter.holder(of: Self.key) == ResourceID(UInt32(index)))
        packed.add(isScreenOff)
        return packed.word
    }

    private func queues(_ index: Int) -> UInt64 {
        let scene = scenes[index]
        var packed = Packed()
        for (order, generation) in scene.orders {
            packed.add(1 + Self.number(order) + 4 * scene.age(generation), below: 32)
        }
        packed.add(0, below: 32)
        for (answer, generation) in scene.answers {
            packed.add(1 + Self.number(answer) + 4 * scene.age(generation), below: 32)
        }
        return packed.word
    }

    private static func number(_ state: LifecycleState) -> Int {
        switch state {
        case .notRunning: 0
        case .inactive: 1
        case .active: 2
        case .background: 3
        case .suspended: 4
        }
    }

    private static func number(_ thread: Thread) -> Int {
        switch thread {
        case .idle: 0
        case .resolved: 1
        case .open: 2
        }
    }

    private static func number(_ order: Order) -> Int {
        switch order {
        case .acquire: 0
        case .proceed: 1
        case .release: 2
        }
    }

    private static func number(_ answer: Answer) -> Int {
        switch answer {
        case .resolved: 0
        case .opened: 1
        case .released: 2
        case .lost: 3
        }
    }

    private static func number(_ phase: ResourceMachine.Phase) -> Int {
        switch phase {
        case .closed: 0
        case .pendingOpen: 1
        case .resolving: 2
        case .claiming: 3
        case .opening: 4
        case .open: 5
        case .closing: 6
        case .stuck: 7
        }
    }
}
