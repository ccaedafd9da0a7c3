internal import OnstageCore

/// What the deciding thread is to be woken for, by name; setting one again moves it.
struct TimerQueue {
    enum Name: Hashable {
        case retry(ResourceID)
        /// A holder has been seen to close; its driver may need a moment longer.
        case again(ResourceID)
        case watchdog(ResourceID)
        /// Its observers are to be told where it is.
        case tick(ResourceID)
        case background
        /// A timer of its own is due.
        case scene(SceneID)
        /// Callbacks that have not returned by now are left behind.
        case close
    }

    private struct Timer {
        let name: Name
        let deadline: MonotonicTime
    }

    /// A few at most. No dictionary: the first entry of one costs as much as a whole pause (its type is made at run time), and
    /// the first timer is the watchdog of the first pause.
    private var timers: [Timer] = []

    init() {
        timers.reserveCapacity(8)
    }

    /// The earliest of all.
    var next: MonotonicTime? { timers.lazy.map(\.deadline).min() }

    mutating func start(_ name: Name, at deadline: MonotonicTime) {
        stop(name)
        timers.append(Timer(name: name, deadline: deadline))
    }

    func isStarted(_ name: Name) -> Bool { timers.contains { $0.name == name } }

    mutating func stop(_ name: Name) {
        timers.removeAll { $0.name == name }
    }

    /// Takes out what is due, earliest first.
    mutating func due(_ now: MonotonicTime) -> [Name] {
        guard timers.contains(where: { $0.deadline <= now }) else { return [] }
        let due = timers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }.map(\.name)
        timers.removeAll { $0.deadline <= now }
        return due
    }
}
