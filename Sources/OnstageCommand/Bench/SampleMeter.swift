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
    /// The last, or of those that came together their sum, in m/s² or rad/s: what is asked for is worked out.
    @exclusivity(unchecked) private(set) var value = SIMD3<Double>.zero
    /// From the time stamp to the call: of each sample, or of the oldest of those that came together.
    private let latencies = TimeDistribution()

    init(limit: Int, onEnd: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.onEnd = onEnd
    }

    /// Takes one sample. *Runs on:* the sink's thread.
    func take(_ sample: MotionSample) {
        guard count < limit else { return }
        let now = MonotonicTime.now
        latencies.add(now.nanoseconds &- sample.timestamp.nanoseconds)
        take(x: sample.raw.x, sequence: sample.sequence, stamp: sample.timestamp, now: now)
        value = sample.value
        if count == limit { onEnd() }
    }

    /// Takes what came together. *Runs on:* the sensor's thread.
    func take(_ batch: borrowing MotionBatch) {
        guard count < limit else { return }
        let now = MonotonicTime.now
        latencies.add(now.nanoseconds &- batch.timestamp(0).nanoseconds)
        let (many, before) = (min(batch.count, limit - count), count)
        take(x: batch.raw(0).x, sequence: batch.sequence(0), stamp: batch.timestamp(0), now: now)
        var (x, steps, left, isCounting, sum) = (lastX &- 1, 0, many, true, SIMD3<Double>.zero)
        batch.each { raw, value, _ in
            guard left > 0 else { return }
            left &-= 1
            if raw.x != x &+ 1 {
                isCounting = isCounting && raw.x > x
                steps &+= Int(raw.x &- x &- 1)
            }
            x = raw.x
            sum += value
        }
        if let lost { self.lost = isCounting ? lost &+ steps : nil }
        missed += Int(truncatingIfNeeded: batch.sequence(many - 1) &- lastSequence) - (many - 1)
        (lastX, lastSequence, value) = (x, batch.sequence(many - 1), sum)
        (lastStamp, count) = (batch.timestamp(many - 1), before + many)
        if count == limit { onEnd() }
    }

    @inline(__always)
    private func take(x: Int64, sequence: UInt64, stamp: MonotonicTime, now: MonotonicTime) {
        if count == 0 {
            (first, firstStamp) = (now, stamp)
        } else {
            missed += Int(truncatingIfNeeded: sequence &- lastSequence &- 1)
            if let lost { self.lost = x > lastX ? lost + Int(x - lastX - 1) : nil }
        }
        (lastX, lastSequence, last, lastStamp) = (x, sequence, now, stamp)
        count += 1
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
