internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// What is measured of the samples of one acquire, without any allocation for a sample.
///
/// Unchecked: written by the one thread that calls the sink; read, and made ready for the next acquire, only when its
/// resource has been released, after which no call begins.
final class SampleMeter: @unchecked Sendable {
    /// Samples to take; then ``onEnd`` is called, once.
    let limit: Int
    private let onEnd: @Sendable () -> Void
    @exclusivity(unchecked) private(set) var count = 0
    /// When the first and the last were handed over.
    @exclusivity(unchecked) private(set) var first = MonotonicTime(nanoseconds: 0)
    @exclusivity(unchecked) private(set) var last = MonotonicTime(nanoseconds: 0)
    /// The time stamps of the first and the last.
    @exclusivity(unchecked) private(set) var firstStamp = MonotonicTime(nanoseconds: 0)
    @exclusivity(unchecked) private(set) var lastStamp = MonotonicTime(nanoseconds: 0)
    /// Steps between the sequence numbers beyond 1: what the sink missed.
    @exclusivity(unchecked) private(set) var missed = 0
    /// Steps of the raw x beyond 1; nil once x has not counted up, as it does with `bench imu --counter`.
    @exclusivity(unchecked) private(set) var lost: Int? = 0
    @exclusivity(unchecked) private var lastX: Int64 = 0
    @exclusivity(unchecked) private var lastSequence: UInt64 = 0
    /// Of each sample: from its time stamp to its call.
    private let latencies = TimeDistribution()

    init(limit: Int, onEnd: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.onEnd = onEnd
    }

    /// Takes one sample. *Runs on:* the sink's thread.
    func take(_ sample: MotionSample) {
        guard count < limit else { return }
        let now = MonotonicTime.now
        if count == 0 {
            (first, firstStamp) = (now, sample.timestamp)
        } else {
            missed += Int(truncatingIfNeeded: sample.sequence &- lastSequence &- 1)
            count(x: sample.raw.x)
        }
        (lastX, lastSequence, last, lastStamp) = (sample.raw.x, sample.sequence, now, sample.timestamp)
        latencies.add(now.nanoseconds &- sample.timestamp.nanoseconds)
        count += 1
        if count == limit { onEnd() }
    }

    @inline(__always)
    private func count(x: Int64) {
        guard let lost else { return }
        self.lost = x > lastX ? lost + Int(x - lastX - 1) : nil
    }

    /// Forgets what it has, for the next acquire.
    func reset() {
        (count, missed, lost) = (0, 0, 0)
        latencies.reset()
    }

    /// Samples a second by their own times; nil for less than two.
    var rate: Double? {
        let time = FixedPoint.seconds(lastStamp - firstStamp)
        return count > 1 && time > 0 ? Double(count - 1) / time : nil
    }

    var latency: TimeDistribution.Spread? { latencies.spread }
}
