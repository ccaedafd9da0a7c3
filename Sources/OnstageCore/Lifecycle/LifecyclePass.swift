/// The pass that moves a phase to what is wished and takes its observers along; one for each scene, one for the app.
///
/// The phase moves by one arrow, then every observer is told, then it moves again. Up-callbacks go from the oldest
/// observer to the newest, down-callbacks from the newest to the oldest, and all climb or descend one rung before any
/// goes on to the next. Hence what always holds: *an earlier observer never stands below a later one*.
///
/// A wish is only recorded, whenever it comes. If it turns the way round in the middle of a pass, the phase turns at the
/// next step: who has been told is told the opposite, who has not been told hears nothing of either.
/// An observer that is behind (added late) catches up rung by rung while the phase stands or climbs, never while it
/// falls, and never past an older one.
package struct LifecyclePass: Hashable, Sendable {
    private struct Observer: Hashable, Sendable {
        let id: ObserverID
        var rung: LifecycleRung
    }

    /// Where the phase stands; observers may still have to be told of it.
    package private(set) var phase: LifecycleState = .notRunning
    /// Where it is to stand in the end.
    package var wish: LifecycleState = .notRunning
    /// Oldest first; their rungs never rise along the list.
    private var observers: [Observer] = []

    package init() {}

    /// Whether there is nothing left to do.
    package var isSettled: Bool {
        var copy = self
        return copy.next() == nil
    }

    /// Registers an observer behind all others; it is told of everything since the start by the next steps.
    /// False when it is registered already: then nothing changes.
    package mutating func add(_ id: ObserverID) -> Bool {
        guard !observers.contains(where: { $0.id == id }) else { return false }
        observers.append(Observer(id: id, rung: .none))
        return true
    }

    /// Forgets an observer without telling it anything. False when there is none such.
    package mutating func remove(_ id: ObserverID) -> Bool {
        guard let index = observers.firstIndex(where: { $0.id == id }) else { return false }
        observers.remove(at: index)
        return true
    }

    /// How far an observer has been told; nil when there is none such.
    package func rung(of id: ObserverID) -> LifecycleRung? {
        observers.first { $0.id == id }?.rung
    }

    /// Takes the next step and answers it; nil when all is as wished. Ask again when the callback has returned, or, after
    /// a nil, when something was wished or added.
    package mutating func next() -> LifecycleStep? {
        let level = phase.rung
        let hop = phase.hop(toward: wish)
        let goal = hop?.rung ?? level
        // Who still stands above has not heard of the way down, and need not when the phase is about to turn up again.
        if goal <= level, let highest = observers.first?.rung, highest > level, let (rung, callback) = highest.down,
            let index = observers.lastIndex(where: { $0.rung == highest })
        {
            observers[index].rung = rung
            return .deliver(observers[index].id, callback)
        }
        // Likewise who stands below, when it is about to turn down.
        if goal >= level, let lowest = observers.last?.rung, lowest < level, let (rung, callback) = lowest.up,
            let index = observers.firstIndex(where: { $0.rung == lowest })
        {
            observers[index].rung = rung
            return .deliver(observers[index].id, callback)
        }
        guard let hop else { return nil }
        let from = phase
        phase = hop
        if from == .suspended, hop == .notRunning {
            // The process is simply gone: nobody is left to be told.
            for index in observers.indices { observers[index].rung = .none }
        }
        return .transition(from: from, to: hop)
    }
}
