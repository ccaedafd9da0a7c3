import Testing

@testable import OnstageCore

private let busy = DeviceError(.inUse, operation: "VIDIOC_REQBUFS", device: "cam")
private let denied = DeviceError(.permission, operation: "open", device: "cam")

private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

/// A machine brought to a phase by the shortest way.
private func machine(_ phase: ResourceMachine.Phase) -> ResourceMachine {
    var machine = ResourceMachine()
    let first = Generation(1)
    switch phase {
    case .closed: return machine
    case .resolving: _ = machine.apply(.unpause(.lifecycle), now: at(0))
    case .pendingOpen:
        machine = OnstageCoreTests.machine(.resolving(first))
        _ = machine.apply(.failed(first, busy), now: at(0))
    case .claiming:
        machine = OnstageCoreTests.machine(.resolving(first))
        _ = machine.apply(.resolved(first), now: at(0))
    case .opening:
        machine = OnstageCoreTests.machine(.claiming(first))
        _ = machine.apply(.granted(first), now: at(0))
    case .open:
        machine = OnstageCoreTests.machine(.opening(first))
        _ = machine.apply(.opened(first), now: at(0))
    case .closing(_, let isForced):
        machine = OnstageCoreTests.machine(.open(first))
        _ = machine.apply(.pause(.lifecycle, hurried: false), now: at(0))
        if isForced { _ = machine.apply(.overdue(first), now: at(0)) }
    case .stuck:
        machine = OnstageCoreTests.machine(.closing(first, isForced: true))
        _ = machine.apply(.overdue(first), now: at(0))
    }
    return machine
}

private let g1 = Generation(1)
private let phases: [ResourceMachine.Phase] = [
    .closed, .pendingOpen, .resolving(g1), .claiming(g1), .opening(g1), .open(g1), .closing(g1, isForced: false),
    .closing(g1, isForced: true), .stuck(g1),
]

@Suite("table: one resource") struct ResourceMachineTests {
    @Test(arguments: phases) func reachesItsPhase(_ phase: ResourceMachine.Phase) {
        #expect(machine(phase).phase == phase)
    }

    @Test("a pause in any phase gives the device back and one receipt", arguments: phases)
    func pause(_ phase: ResourceMachine.Phase) {
        var machine = machine(phase)
        let effects = machine.apply(.pause(.user, hurried: false), now: at(5))
        let receipts = effects.filter { if case .receipt = $0 { true } else { false } }
        switch phase {
        case .closed, .pendingOpen:
            #expect(machine.phase == .closed)
            #expect(receipts.count == 1)
        case .resolving, .claiming, .opening, .open:
            #expect(effects.contains(.release(g1, ReleaseRequest(asked: at(5), hurried: false))))
            #expect(receipts.isEmpty)
            let end = machine.apply(.released(g1, ReleaseDetail(released: at(6))), now: at(7))
            #expect(machine.phase == .closed)
            #expect(end.filter { if case .receipt = $0 { true } else { false } }.count == 1)
        case .closing:
            #expect(receipts.isEmpty)
            let end = machine.apply(.released(g1, ReleaseDetail(released: at(6))), now: at(7))
            #expect(end.filter { if case .receipt = $0 { true } else { false } }.count == 2)
        case .stuck:
            #expect(receipts.count == 1)
            #expect(machine.phase == .stuck(g1))
        }
        #expect(machine.apply(.pause(.user, hurried: false), now: at(9)).isEmpty, "the same reason again does nothing")
    }

    @Test("an answer of another generation changes nothing", arguments: phases)
    func stale(_ phase: ResourceMachine.Phase) {
        let old = Generation(77)
        for event: ResourceMachine.Event in [
            .resolved(old), .granted(old), .opened(old), .failed(old, busy), .lost(old, busy),
            .released(old, ReleaseDetail(released: at(1))), .overdue(old),
        ] {
            var machine = machine(phase)
            let before = machine
            #expect(machine.apply(event, now: at(1)).isEmpty, "\(event)")
            #expect(machine == before, "\(event)")
        }
    }

    @Test func resumeDuringReleaseAcquiresAfterIt() {
        var machine = machine(.closing(g1, isForced: false))
        #expect(machine.apply(.unpause(.lifecycle), now: at(1)).isEmpty)
        let effects = machine.apply(.released(g1, ReleaseDetail(released: at(2))), now: at(2))
        #expect(effects.contains(.acquire(Generation(2))))
    }

    @Test func aUsersPauseSurvivesTheLifecycle() {
        var machine = machine(.open(g1))
        _ = machine.apply(.pause(.user, hurried: false), now: at(1))
        _ = machine.apply(.released(g1, ReleaseDetail(released: at(2))), now: at(2))
        _ = machine.apply(.pause(.lifecycle, hurried: false), now: at(3))
        #expect(machine.apply(.unpause(.lifecycle), now: at(4)).isEmpty)
        #expect(machine.phase == .closed)
        #expect(machine.apply(.unpause(.user), now: at(5)).contains(.acquire(Generation(2))))
    }

    @Test func retriesAsCameraXDoes() {
        var machine = machine(.resolving(g1))
        var generation = g1
        var now = at(0)
        var delays: [Duration] = []
        while true {
            let effects = machine.apply(.failed(generation, busy), now: now)
            guard
                case .startRetry(let due)? = effects.first(where: { if case .startRetry = $0 { true } else { false } })
            else { break }
            delays.append(due - now)
            now = due
            _ = machine.apply(.retry, now: now)
            generation = machine.generation
        }
        #expect(delays.filter { $0 == .milliseconds(500) }.count == 240)  // two minutes
        #expect(delays.filter { $0 == .seconds(2) }.count == 90)  // three minutes
        #expect(delays.filter { $0 == .seconds(4) }.count == 375)  // 25 minutes
        #expect(machine.state == .pendingOpen, "after 30 minutes only an event tries again")
        #expect(machine.apply(.deviceChanged, now: now).contains(.acquire(generation.next)))
    }

    @Test func aCriticalErrorIsNotRetriedUntilTheWorldChanges() {
        var machine = machine(.opening(g1))
        let effects = machine.apply(.failed(g1, denied), now: at(1))
        #expect(effects == [.givenBack, .withdraw, .stateChanged(.closed, denied)])
        #expect(machine.apply(.retry, now: at(2)).contains(.acquire(Generation(2))))
    }

    @Test func theWatchdogForcesAndThenTellsTheTruth() {
        var machine = machine(.open(g1))
        let asked = machine.apply(.pause(.lifecycle, hurried: false), now: at(0))
        #expect(asked.contains(.startWatchdog(g1, at: at(1000))))
        #expect(machine.apply(.overdue(g1), now: at(1000)) == [.force(g1), .startWatchdog(g1, at: at(2000))])
        let stuck = machine.apply(.overdue(g1), now: at(2000))
        let pause = ResourceMachine.PendingPause(asked: at(0), reasons: PauseReasons(.lifecycle))
        #expect(
            stuck == [.receipt(pause, released: nil, forced: true, stuck: true, ReleaseDetail(released: nil))])
        #expect(machine.state == .closing)
        _ = machine.apply(.unpause(.lifecycle), now: at(2500))
        #expect(
            machine.apply(.released(g1, ReleaseDetail(released: at(3000))), now: at(3000)).contains(
                .acquire(Generation(2))))
    }

    @Test func evictedWaitsAndALifecyclePauseForgetsIt() {
        var machine = machine(.open(g1))
        _ = machine.apply(.pause(.evicted, hurried: true), now: at(1))
        _ = machine.apply(.released(g1, ReleaseDetail(released: at(2))), now: at(2))
        #expect(machine.state == .pendingOpen)
        let paused = machine.apply(.pause(.lifecycle, hurried: false), now: at(3))
        #expect(paused.contains(.withdraw))
        #expect(machine.reasons == PauseReasons(.lifecycle))
        #expect(machine.apply(.unpause(.lifecycle), now: at(4)).contains(.acquire(Generation(2))))
    }

    @Test func noReceiptIsReleasedBeforeItWasAsked() {
        var machine = machine(.open(g1))
        _ = machine.apply(.pause(.lifecycle, hurried: false), now: at(1))
        _ = machine.apply(.pause(.user, hurried: false), now: at(9))  // the answer of the first is on its way
        let effects = machine.apply(.released(g1, ReleaseDetail(released: at(5))), now: at(10))
        let released = effects.compactMap { effect -> MonotonicTime? in
            guard case .receipt(_, let released, _, _, _) = effect else { return nil }
            return released
        }
        #expect(released == [at(5), at(9)])
    }
}
