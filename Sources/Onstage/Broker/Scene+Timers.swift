internal import OnstageCore
internal import Synchronization

// Time that stands while the scene is not active.
extension Scene {
    /// Runs a block again and again while the scene is active: an animation, a poll.
    ///
    /// Time stands while the scene is not active, and nothing of it wakes the CPU then. The first tick comes after one
    /// interval. Ticks that were missed are left out, and the next one comes on the timer's grid. A block that takes longer
    /// than an interval is not run twice at once. Lifecycle callbacks go first, but wait for a block that runs: a long one
    /// delays the shade, `willResignActive` and the phase, though not the devices.
    ///
    /// - Parameter interval: at least 1 ms; a shorter one counts as that.
    ///
    /// *Runs on:* the callback executor, between lifecycle callbacks. Android: `Handler.postDelayed` from `onResume` to
    /// `onPause`; iOS: `Timer`, `CADisplayLink`.
    @discardableResult
    public func every(_ interval: Duration, _ block: @escaping @Sendable () -> Void) -> SceneTimer {
        let interval = max(interval, .milliseconds(1))
        return addTimer(after: interval, every: interval, block)
    }

    /// Runs a block once, when the scene has been active for so much longer.
    ///
    /// *Runs on:* the callback executor, between lifecycle callbacks.
    @discardableResult
    public func after(_ delay: Duration, _ block: @escaping @Sendable () -> Void) -> SceneTimer {
        addTimer(after: delay, every: nil, block)
    }

    private func addTimer(
        after delay: Duration, every interval: Duration?, _ block: @escaping @Sendable () -> Void
    ) -> SceneTimer {
        let isOff = SceneTimer.Flag()
        let timer = SceneTimer(id: broker.nextTimer(), scene: id, broker: broker, isOff: isOff)
        let tick: @Sendable () -> Void = { if !isOff.value.load(ordering: .acquiring) { block() } }
        broker.decider.send(.addTimer(id, timer.id, after: delay, every: interval, tick))
        return timer
    }

    /// How long the scene has been active in all: time that stands while it is not. It never goes back.
    /// *Runs on:* any thread; a snapshot.
    public var clock: Duration {
        // The time is read under the lock that stops the clock: what has been shown is not taken back.
        shared.withLock { $0.timers.time(broker.clock.now) }
    }
}
