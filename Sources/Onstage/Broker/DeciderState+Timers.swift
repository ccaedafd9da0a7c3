internal import OnstageCore
internal import Synchronization

// What goes by a scene's own time.
extension DeciderState {
    /// The scene's time runs while it is active.
    func setClock(_ id: SceneID, isRunning: Bool) {
        let clock = configuration.clock
        scenes[id]?.scene.shared.withLock { shared in
            if isRunning { shared.timers.start(clock.now) } else { shared.timers.stop(clock.now) }
        }
        setTimer(id)
    }

    func addTimer(
        _ id: SceneID, _ timer: SceneTimerID, after delay: Duration, every interval: Duration?,
        _ block: @escaping @Sendable () -> Void
    ) {
        guard let entry = scenes[id], !entry.lifecycle.isEnded else { return }
        scenes[id]?.timerBodies[timer] = block
        let now = now
        entry.scene.shared.withLock { $0.timers.add(timer, after: delay, every: interval, now) }
        runTimers(id)
    }

    func cancelTimer(_ id: SceneID, _ timer: SceneTimerID) {
        guard let entry = scenes[id] else { return }
        _ = entry.scene.shared.withLock { $0.timers.cancel(timer) }
        scenes[id]?.timerBodies[timer] = nil
        setTimer(id)
    }

    /// Runs the timer that has been due for longest; its return asks for the one after.
    func runTimers(_ id: SceneID) {
        defer { setTimer(id) }
        let now = now
        guard let entry = scenes[id], !entry.isCallingOut, entry.lifecycle.isSettled,
            let due = entry.scene.shared.withLock({ $0.timers.next(now) }), let body = entry.timerBodies[due.id]
        else { return }
        if due.isLast { scenes[id]?.timerBodies[due.id] = nil }
        callOut(id, body)
    }

    /// Has this thread woken for the next one. While a callback runs its return does that.
    private func setTimer(_ id: SceneID) {
        guard let entry = scenes[id], !entry.isCallingOut,
            let deadline = entry.scene.shared.withLock({ $0.timers.deadline })
        else { return timers.stop(.scene(id)) }
        timers.start(.scene(id), at: deadline)
    }
}
