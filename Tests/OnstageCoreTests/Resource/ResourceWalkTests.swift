import OnstageTestSupport
import Testing

@testable import OnstageCore

/// Several resources of several scenes on two devices, their threads and the arbiter, all played: every wish at every
/// moment, answers late and in any order between threads.
private struct World {
    enum Thread: Equatable {
        case idle
        case resolved(Generation)
        case open(Generation)
    }

    enum Order {
        case acquire(Generation)
        case proceed(Generation)
        case release(Generation)
    }

    struct Resource {
        var machine = ResourceMachine()
        var orders: [Order] = []
        var answers: [ResourceMachine.Event] = []
        var thread = Thread.idle
        var key: String
        var retry = false
        var opens = 0
        var closes = 0
        var pauses = 0
        var receipts = 0
        var activation: UInt64 = 0
    }

    var resources: [Resource]
    var arbiter = Arbiter()
    var activations: UInt64 = 0
    var now = MonotonicTime(nanoseconds: 0)

    init(count: Int) {
        resources = (0..<count).map { Resource(key: $0 % 3 == 2 ? "second" : "first") }
    }

    mutating func apply(_ index: Int, _ event: ResourceMachine.Event) {
        let before = resources[index].machine.reasons
        let effects = resources[index].machine.apply(event, now: now)
        if case .pause(let reason, _) = event, !before.contains(reason) { resources[index].pauses += 1 }
        for effect in effects { run(index, effect) }
    }

    mutating func run(_ index: Int, _ effect: ResourceMachine.Effect) {
        let id = ResourceID(UInt32(index))
        switch effect {
        case .acquire(let generation): resources[index].orders.append(.acquire(generation))
        case .proceed(let generation): resources[index].orders.append(.proceed(generation))
        case .release(let generation, _): resources[index].orders.append(.release(generation))
        case .claim:
            let rank = Arbiter.Rank(activation: resources[index].activation, binding: UInt64(index))
            decide(arbiter.claim(id, key: resources[index].key, rank: rank))
        case .withdraw: decide(arbiter.withdraw(id))
        case .givenBack: decide(arbiter.givenBack(id))
        case .startRetry: resources[index].retry = true
        case .stopRetry: resources[index].retry = false
        case .receipt: resources[index].receipts += 1
        case .startWatchdog, .stopWatchdog, .force, .stateChanged: break
        }
    }

    mutating func decide(_ decisions: [Arbiter.Decision]) {
        for decision in decisions {
            switch decision {
            case .grant(let id):
                let index = Int(id.number)
                apply(index, .granted(resources[index].machine.generation))
            case .evict(let id, _): apply(Int(id.number), .pause(.evicted, hurried: true))
            case .restore(let id): apply(Int(id.number), .unpause(.evicted))
            }
        }
    }

    /// The device's thread obeys its next order.
    mutating func obey(_ index: Int, _ random: inout SplitMix64) {
        guard !resources[index].orders.isEmpty else { return }
        let order = resources[index].orders.removeFirst()
        switch (order, resources[index].thread) {
        case (.acquire(let generation), .idle):
            if Int.random(in: 0..<8, using: &random) == 0 {
                resources[index].answers.append(
                    .failed(generation, DeviceError(.absent, operation: "open", device: "x")))
            } else {
                resources[index].thread = .resolved(generation)
                resources[index].answers.append(.resolved(generation))
            }
        case (.proceed(let generation), .resolved(let waiting)) where generation == waiting:
            for other in resources.indices where other != index && resources[other].key == resources[index].key {
                if case .open = resources[other].thread { Issue.record("two resources have one device open") }
            }
            if Int.random(in: 0..<6, using: &random) == 0 {
                resources[index].thread = .idle
                resources[index].answers.append(
                    .failed(generation, DeviceError(.inUse, operation: "open", device: "x")))
            } else {
                resources[index].thread = .open(generation)
                resources[index].opens += 1
                resources[index].answers.append(.opened(generation))
            }
        case (.proceed, _): break
        case (.release(let generation), let thread):
            if thread == .open(generation) { resources[index].closes += 1 }
            if case .open(let open) = thread, open != generation { Issue.record("released another generation") }
            resources[index].thread = .idle
            resources[index].answers.append(.released(generation, ReleaseDetail(released: now)))
        case (.acquire, _): Issue.record("acquired twice")
        }
    }

    mutating func answer(_ index: Int) {
        guard !resources[index].answers.isEmpty else { return }
        apply(index, resources[index].answers.removeFirst())
    }

    mutating func wish(_ index: Int, _ random: inout SplitMix64) {
        let reason: PauseReason =
            [.lifecycle, .lifecycle, .lifecycle, .user, .interrupted].randomElement(using: &random)
            ?? .lifecycle
        if Bool.random(using: &random) {
            if reason == .lifecycle {
                activations += 1
                resources[index].activation = activations
            }
            apply(index, .unpause(reason))
        } else {
            apply(index, .pause(reason, hurried: false))
        }
    }

    mutating func step(_ random: inout SplitMix64) {
        now = now + .milliseconds(1)
        let index = Int.random(in: resources.indices, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2: wish(index, &random)
        case 3...5: obey(index, &random)
        case 6...8: answer(index)
        default:
            if resources[index].retry {
                resources[index].retry = false
                apply(index, .retry)
            } else if case .open(let generation) = resources[index].thread, resources[index].orders.isEmpty,
                Int.random(in: 0..<5, using: &random) == 0
            {
                resources[index].thread = .idle
                resources[index].closes += 1
                resources[index].answers.append(
                    .lost(generation, DeviceError(.absent, operation: "read", device: "x")))
            }
        }
    }

    /// Lets everything that is under way come to its end, without new wishes.
    mutating func settle(_ random: inout SplitMix64) {
        for _ in 0..<10_000 {
            var isQuiet = true
            for index in resources.indices {
                if !resources[index].orders.isEmpty || !resources[index].answers.isEmpty || resources[index].retry {
                    isQuiet = false
                }
                obey(index, &random)
                answer(index)
                if resources[index].retry {
                    resources[index].retry = false
                    apply(index, .retry)
                }
            }
            if isQuiet { return }
        }
        Issue.record("it does not come to rest")
    }
}

@Suite("walk: resources, threads and arbiter") struct ResourceWalkTests {
    @Test(arguments: 1...200) func randomWalk(_ run: Int) {
        let seed = UInt64(run) &* 7919
        var random = SplitMix64(seed: seed)
        var world = World(count: 1 + run % 5)
        for _ in 0..<400 { world.step(&random) }
        world.settle(&random)
        for index in world.resources.indices {
            let resource = world.resources[index]
            #expect(resource.pauses == resource.receipts, "seed \(seed): one receipt for each pause")
            var isOpen = false
            if case .open = resource.thread { isOpen = true }
            #expect(resource.opens - resource.closes == (isOpen ? 1 : 0), "seed \(seed): every open has one close")
            let wishes = resource.machine.reasons.subtracting(PauseReasons(.evicted))
            if !wishes.isEmpty {
                #expect(!isOpen, "seed \(seed): open while a pause reason stands")
                #expect(resource.machine.phase == .closed, "seed \(seed)")
            }
        }
        for key in ["first", "second"] {
            let wanting = world.resources.indices.filter {
                world.resources[$0].key == key
                    && world.resources[$0].machine.reasons.subtracting(PauseReasons(.evicted)).isEmpty
            }
            let winner = wanting.max { a, b in
                (world.resources[a].activation, a) < (world.resources[b].activation, b)
            }
            for index in wanting {
                let isOpen = world.resources[index].machine.state == .open
                #expect(
                    isOpen == (index == winner), "seed \(seed): the last to become active has it, the others wait")
            }
        }
    }
}
