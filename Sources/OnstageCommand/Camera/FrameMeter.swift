internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// What is measured of the frames of one acquire, without any allocation for a frame. *Runs on:* any thread: a queued sink's
/// last call may still run while its camera's receipt is read.
///
/// Unchecked: ``state`` is touched only by whoever has taken ``lock``.
final class FrameMeter: BenchMeter, @unchecked Sendable {
    /// What it has come to so far.
    private struct State {
        var count = 0
        var first = MonotonicTime(nanoseconds: 0)
        var last = MonotonicTime(nanoseconds: 0)
        var lost = 0
        var missed = 0
        /// Of each frame: from its time stamp to its call.
        let latencies = TimeDistribution()
        /// Of each frame but the first: since the call before.
        let intervals = TimeDistribution()
    }

    /// Frames to take; then ``onEnd`` is called, once.
    let limit: Int
    private let onEnd: @Sendable () -> Void
    private let lock = BriefLock()
    @exclusivity(unchecked) private var state = State()

    init(limit: Int, onEnd: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.onEnd = onEnd
    }

    /// Takes one frame. *Runs on:* the sink's thread.
    func take(_ frame: borrowing Frame) {
        lock.take()
        guard state.count < limit else { return lock.giveBack() }
        let now = MonotonicTime.now
        if state.count == 0 {
            state.first = now
        } else {
            state.intervals.add(now.nanoseconds &- state.last.nanoseconds)
            state.lost += frame.droppedBefore
            state.missed += frame.missed
        }
        state.latencies.add(now.nanoseconds &- frame.timestamp.nanoseconds)
        state.last = now
        state.count += 1
        let isLast = state.count == limit
        lock.giveBack()
        if isLast { onEnd() }
    }

    var count: Int {
        lock.take()
        defer { lock.giveBack() }
        return state.count
    }

    /// What it has measured since the last time; it begins anew for the next acquire. Nil for no frame.
    func measured() -> Measured? {
        lock.take()
        defer { lock.giveBack() }
        guard state.count > 0 else { return nil }
        let measured = Measured(
            count: state.count, first: state.first, last: state.last, lost: state.lost, missed: state.missed,
            interval: state.intervals.spread, latency: state.latencies.spread)
        (state.count, state.lost, state.missed) = (0, 0, 0)
        state.latencies.reset()
        state.intervals.reset()
        return measured
    }

    /// What was measured of one acquire.
    struct Measured: BenchMeasured {
        var count: Int
        /// When the first and the last were handed over.
        var first: MonotonicTime
        var last: MonotonicTime
        /// Lost by the device, or bad, before one of these frames.
        var lost: Int
        /// Missed by the sink because it was busy.
        var missed: Int
        var interval: TimeDistribution.Spread?
        var latency: TimeDistribution.Spread?

        var seconds: Double { FixedPoint.seconds(last - first) }
        /// Frames a second, between the first call and the last; nil for less than two.
        var rate: Double? { count > 1 && seconds > 0 ? Double(count - 1) / seconds : nil }
    }
}
