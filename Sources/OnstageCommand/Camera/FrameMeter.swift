internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// What is measured of the frames of one acquire, without any allocation for a frame.
///
/// Unchecked: written by the one thread that calls the sink; read, and made ready for the next acquire, only when its
/// resource has been released, after which no call begins.
final class FrameMeter: @unchecked Sendable {
    /// Frames to take; then ``onEnd`` is called, once.
    let limit: Int
    private let onEnd: @Sendable () -> Void
    @exclusivity(unchecked) private(set) var count = 0
    /// When the first and the last were handed over.
    @exclusivity(unchecked) private(set) var first = MonotonicTime(nanoseconds: 0)
    @exclusivity(unchecked) private(set) var last = MonotonicTime(nanoseconds: 0)
    /// Lost by the device, or bad, before one of these frames.
    @exclusivity(unchecked) private(set) var lost = 0
    /// Missed by the sink because it was busy.
    @exclusivity(unchecked) private(set) var missed = 0
    /// Of each frame: from its time stamp to its call.
    private let latencies = TimeDistribution()
    /// Of each frame but the first: since the call before.
    private let intervals = TimeDistribution()

    init(limit: Int, onEnd: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.onEnd = onEnd
    }

    /// Takes one frame. *Runs on:* the sink's thread.
    func take(_ frame: borrowing Frame) {
        guard count < limit else { return }
        let now = MonotonicTime.now
        if count == 0 {
            first = now
        } else {
            intervals.add(now.nanoseconds &- last.nanoseconds)
            lost += frame.droppedBefore
            missed += frame.missed
        }
        latencies.add(now.nanoseconds &- frame.timestamp.nanoseconds)
        last = now
        count += 1
        if count == limit { onEnd() }
    }

    /// Forgets what it has, for the next acquire.
    func reset() {
        (count, lost, missed) = (0, 0, 0)
        latencies.reset()
        intervals.reset()
    }

    /// Frames a second, between the first call and the last; nil for less than two.
    var rate: Double? {
        let time = FixedPoint.seconds(last - first)
        return count > 1 && time > 0 ? Double(count - 1) / time : nil
    }

    var latency: TimeDistribution.Spread? { latencies.spread }
    var interval: TimeDistribution.Spread? { intervals.spread }
}
