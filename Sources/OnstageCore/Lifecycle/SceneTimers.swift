/// The clock of a scene and the timers that go by it.
///
/// Its time runs while the scene is active and stands while it is not; a timer that had 6 s to go when the scene left the
/// stage has 6 s to go when it returns. One that repeats keeps to its grid and is due once, however many ticks were missed:
/// a slow callback or a machine that slept makes no burst.
///
/// What always holds: while the clock stands nothing is due and there is no deadline; of two that are due, the one that was
/// due first comes first; two ticks of a timer are at least half an interval apart where nothing was late.
package struct SceneTimers: Sendable {
    private struct Timer {
        let id: SceneTimerID
        /// Scene time, in nanoseconds.
        var due: Int64
        /// Nanoseconds; nil for one that comes once.
        let interval: Int64?
    }

    private var timers: [Timer] = []
    /// Scene time when it was last stopped.
    private var elapsed: Int64 = 0
    /// When the clock was started; nil while it stands.
    private var since: MonotonicTime?

    package init() {}

    package var isEmpty: Bool { timers.isEmpty }

    /// How long the scene has been active in all.
    package func time(_ now: MonotonicTime) -> Duration { .nanoseconds(nanoseconds(now)) }

    private func nanoseconds(_ now: MonotonicTime) -> Int64 {
        guard let since else { return elapsed }
        return elapsed + max(0, (now - since).wholeNanoseconds)
    }

    /// The scene is active.
    package mutating func start(_ now: MonotonicTime) {
        if since == nil { since = now }
    }

    /// The scene is active no more.
    package mutating func stop(_ now: MonotonicTime) {
        elapsed = nanoseconds(now)
        since = nil
    }

    /// Adds a timer that is due after `delay` of scene time, and after each `interval` from then on.
    package mutating func add(
        _ id: SceneTimerID, after delay: Duration, every interval: Duration?, _ now: MonotonicTime
    ) {
        let (due, overflow) = nanoseconds(now).addingReportingOverflow(max(0, delay.wholeNanoseconds))
        // An interval of nothing would never let anything else be due.
        let interval = interval.map { max(1, $0.wholeNanoseconds) }
        timers.append(Timer(id: id, due: overflow ? .max : due, interval: interval))
    }

    /// Takes a timer away. False when there is none such.
    @discardableResult
    package mutating func cancel(_ id: SceneTimerID) -> Bool {
        guard let index = timers.firstIndex(where: { $0.id == id }) else { return false }
        timers.remove(at: index)
        return true
    }

    /// When the next one is due; nil while the clock stands, or without any.
    package var deadline: MonotonicTime? {
        guard let since, let due = timers.lazy.map(\.due).min() else { return nil }
        return since + .nanoseconds(due - elapsed)
    }

    /// Takes out the one that has been due for longest, if any is; of one that repeats, its next tick stands from now on.
    package mutating func next(_ now: MonotonicTime) -> (id: SceneTimerID, isLast: Bool)? {
        guard since != nil else { return nil }
        let time = nanoseconds(now)
        guard
            let index = timers.indices.filter({ timers[$0].due <= time })
                .min(by: { (timers[$0].due, timers[$0].id) < (timers[$1].due, timers[$1].id) })
        else { return nil }
        let timer = timers[index]
        guard let interval = timer.interval else {
            timers.remove(at: index)
            return (timer.id, true)
        }
        // The next place on its grid that has not been missed.
        let (gone, isFar) = ((time - timer.due) / interval + 1).multipliedReportingOverflow(by: interval)
        let (due, isFarther) = timer.due.addingReportingOverflow(gone)
        timers[index].due = isFar || isFarther ? .max : due
        return (timer.id, false)
    }
}
