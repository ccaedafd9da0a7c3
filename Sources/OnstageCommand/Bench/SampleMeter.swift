internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// What is measured of the samples of one acquire, without any allocation for a sample. *Runs on:* any thread: a queued sink's
/// last call may still run while its sensor's receipt is read.
///
/// Unchecked: ``state`` is touched only by whoever has taken ``lock``.
final class SampleMeter: BenchMeter, @unchecked Sendable {
    /// What it has come to so far.
    private struct State {
        var count = 0
        var first = MonotonicTime(nanoseconds: 0)
        var last = MonotonicTime(nanoseconds: 0)
        var firstStamp = MonotonicTime(nanoseconds: 0)
        var lastStamp = MonotonicTime(nanoseconds: 0)
        var missed = 0
        var lost: Int? = 0
        var lastX: Int64 = 0
        var lastSequence: UInt64 = 0
        /// The last, or of those that came together their sum, in m/s² or rad/s: what is asked for is worked out.
        var value = SIMD3<Double>.zero
        /// From the time stamp to the call: of each sample, or of the oldest of those that came together.
        let latencies = TimeDistribution()

        @inline(__always)
        mutating func take(x: Int64, sequence: UInt64, stamp: MonotonicTime, now: MonotonicTime) {
            if count == 0 {
                (first, firstStamp) = (now, stamp)
            } else {
                missed += Int(truncatingIfNeeded: sequence &- lastSequence &- 1)
                if let lost { self.lost = x > lastX ? lost + Int(x - lastX - 1) : nil }
            }
            (lastX, lastSequence, last, lastStamp) = (x, sequence, now, stamp)
            count += 1
        }
    }

    /// Samples to take; then ``onEnd`` is called, once.
    let limit: Int
    private let onEnd: @Sendable () -> Void
    private let lock = BriefLock()
    @exclusivity(unchecked) private var state = State()

    init(limit: Int, onEnd: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.onEnd = onEnd
    }

    /// Takes one sample. *Runs on:* the sink's thread.
    func take(_ sample: MotionSample) {
        lock.take()
        guard state.count < limit else { return lock.giveBack() }
        let now = MonotonicTime.now
        state.latencies.add(now.nanoseconds &- sample.timestamp.nanoseconds)
        state.take(x: sample.raw.x, sequence: sample.sequence, stamp: sample.timestamp, now: now)
        state.value = sample.value
        let isLast = state.count == limit
        lock.giveBack()
        if isLast { onEnd() }
    }

    /// Takes what came together. *Runs on:* the sensor's thread.
    func take(_ batch: borrowing MotionBatch) {
        lock.take()
        guard state.count < limit else { return lock.giveBack() }
        let now = MonotonicTime.now
        state.latencies.add(now.nanoseconds &- batch.timestamp(0).nanoseconds)
        let (many, before) = (min(batch.count, limit - state.count), state.count)
        state.take(x: batch.raw(0).x, sequence: batch.sequence(0), stamp: batch.timestamp(0), now: now)
        var (x, steps, left, isCounting, sum) = (state.lastX &- 1, 0, many, true, SIMD3<Double>.zero)
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
        if let lost = state.lost { state.lost = isCounting ? lost &+ steps : nil }
        state.missed += Int(truncatingIfNeeded: batch.sequence(many - 1) &- state.lastSequence) - (many - 1)
        (state.lastX, state.lastSequence, state.value) = (x, batch.sequence(many - 1), sum)
        (state.lastStamp, state.count) = (batch.timestamp(many - 1), before + many)
        let isLast = state.count == limit
        lock.giveBack()
        if isLast { onEnd() }
    }

    func measured() -> Measured? {
        lock.take()
        defer { lock.giveBack() }
        guard state.count > 0 else { return nil }
        let measured = Measured(
            count: state.count, first: state.first, last: state.last,
            stamped: FixedPoint.seconds(state.lastStamp - state.firstStamp), lost: state.lost, missed: state.missed,
            latency: state.latencies.spread)
        (state.count, state.missed, state.lost) = (0, 0, 0)
        state.latencies.reset()
        return measured
    }

    /// What was measured of one acquire.
    struct Measured: BenchMeasured {
        var count: Int
        /// When the first and the last were handed over.
        var first: MonotonicTime
        var last: MonotonicTime
        /// Seconds from the first sample's time stamp to the last one's.
        var stamped: Double
        /// Steps of the raw x beyond 1; nil once x has not counted up, as it does with `bench imu --counter`.
        var lost: Int?
        /// Steps between the sequence numbers beyond 1: what the sink missed.
        var missed: Int
        var latency: TimeDistribution.Spread?

        var seconds: Double { FixedPoint.seconds(last - first) }
        /// Samples a second by their own times; nil for less than two.
        var rate: Double? { count > 1 && stamped > 0 ? Double(count - 1) / stamped : nil }
    }
}
