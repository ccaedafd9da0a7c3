internal import OnstageCore

/// What the deciding thread is to be woken for, by name; setting one again moves it.
struct TimerQueue {
    enum Name: Hashable {
        case retry(ResourceID)
        /// A holder has been seen to close; its driver may need a moment longer.
        case again(ResourceID)
        case watchdog(ResourceID)
        case background
        /// Callbacks that have not returned by now are left behind.
        case close
    }

    private var deadlines: [Name: MonotonicTime] = [:]

    /// The earliest of all.
    var next: MonotonicTime? { deadlines.values.min() }

    mutating func start(_ name: Name, at deadline: MonotonicTime) {
        deadlines[name] = deadline
    }

    mutating func stop(_ name: Name) {
        deadlines[name] = nil
    }

    /// Takes out what is due, earliest first.
    mutating func due(_ now: MonotonicTime) -> [Name] {
        let due = deadlines.filter { $0.value <= now }.sorted { $0.value < $1.value }.map(\.key)
        for name in due { deadlines[name] = nil }
        return due
    }
}
