internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// What lies between a driver and its listeners: leaves out what is no sample, numbers the rest, and gives each listener
/// those that its rate lets through.
///
/// *Runs on:* the device's thread; the counts may be read from any.
final class MotionDelivery {
    private struct Listener {
        let sink: MotionSink
        /// Zero for every sample.
        let period: Int64
        var due: Int64 = .min

        /// Whether its own rate lets a sample of this time through.
        mutating func takes(_ time: Int64, period devicePeriod: Int64) -> Bool {
            guard time >= due else { return false }
            // Half a device period early is as near as half a period late; a long gap begins anew.
            let next = due &+ period
            let isLate = due == .min || next < time
            due = isLate ? time + period - devicePeriod / 2 : next
            return true
        }
    }

    /// Read by any thread.
    final class Shared: Sendable {
        struct State: Sendable {
            var counts = DriverCounts()
            var statistics = MotionStatistics()
            /// What the rate follows from: since the last acquire.
            var firstTime: Int64 = 0
            var lastTime: Int64 = 0
            var samples: Int64 = 0
        }

        let state = Mutex(State())

        var counts: DriverCounts { state.withLock { $0.counts } }

        var statistics: MotionStatistics {
            state.withLock { state in
                var statistics = state.statistics
                if state.samples > 1, state.lastTime > state.firstTime {
                    statistics.rate = Double(state.samples - 1) * 1e9 / Double(state.lastTime - state.firstTime)
                }
                return statistics
            }
        }
    }

    /// What one call has counted.
    private struct Tally {
        var dropped = 0
        var gaps = 0
        var backwards = 0
        var duplicates = 0
        var zeros = 0
    }

    private let kind: MotionKind
    private let sinks: MotionSinks
    private let report: DriverReporter
    let shared = Shared()

    // Of one thread, and touched for each sample: checks for exclusive access would cost a part of what is done.
    @exclusivity(unchecked) private var listeners: [Listener] = []
    @exclusivity(unchecked) private var version: UInt64 = 0
    @exclusivity(unchecked) private(set) var isOpen = false
    @exclusivity(unchecked) private var sequence: UInt64 = 0
    @exclusivity(unchecked) private var hasFirst = false
    private var hasWarnedOfZeros = false
    @exclusivity(unchecked) private var lastRaw: SIMD3<Int64>?
    @exclusivity(unchecked) private var lastTime: Int64 = 0
    @exclusivity(unchecked) private var firstTime: Int64 = 0
    @exclusivity(unchecked) private var sinceFirst: Int64 = 0
    /// Leading zeros are no samples until then.
    private var zerosUntil = MonotonicTime(nanoseconds: .min)
    @exclusivity(unchecked) private var period: Int64 = 0
    /// A longer step is a gap.
    @exclusivity(unchecked) private var longestStep = Int64.max
    /// Places of the samples that a listener's own rate lets through.
    @exclusivity(unchecked) private var picked = UnsafeMutableBufferPointer<Int32>(start: nil, count: 0)
    /// Read by each batch in its place: it is larger than a sample.
    private let scale = UnsafeMutablePointer<AxisScale>.allocate(capacity: 1)

    init(_ kind: MotionKind, sinks: MotionSinks, report: @escaping DriverReporter) {
        self.kind = kind
        self.sinks = sinks
        self.report = report
        scale.initialize(
            to: AxisScale(SensorScale(offset: .zero, scale: SIMD3(repeating: 1), mount: .identity)))
    }

    deinit {
        picked.deallocate()
        scale.deallocate()
    }

    var isListenedTo: Bool { !sinks.isEmpty }
    /// The last number given; nil before the first sample.
    var lastSequence: UInt64? { sequence == 0 ? nil : sequence - 1 }

    /// The fastest rate, in Hz, and the shortest latency that any listener wants.
    func wishes(_ configuration: MotionConfiguration) -> (rate: Double, latency: Duration) {
        let sinks = sinks.all
        let rates = sinks.map { ($0.rate ?? configuration.rate).hertz.value }
        let latencies = sinks.map { $0.maxLatency ?? configuration.maxLatency }
        return (rates.max() ?? configuration.rate.hertz.value, latencies.min() ?? configuration.maxLatency)
    }

    /// Samples may come: the device has been switched on and gives one each `period` (zero if that is not known).
    func begin(
        period: Duration, configuration: MotionConfiguration, scale: SensorScale, now: MonotonicTime, most: Int = 1
    ) {
        self.scale.pointee = AxisScale(scale)
        isOpen = true
        hasFirst = false
        hasWarnedOfZeros = false
        lastRaw = nil
        lastTime = 0
        sinceFirst = 0
        // Twice the report interval is what HID sensors need, as their own kernel driver believes. Exact zeros beyond it,
        // before anything else was felt, are no sooner true; after a second they are handed on, with a warning.
        zerosUntil = now + max(.seconds(1), period * 2)
        retune(period: period, configuration: configuration, most: most)
    }

    /// The device's rate or the listeners have changed.
    ///
    /// - Parameter most: so many samples may come together.
    func retune(period: Duration, configuration: MotionConfiguration, most: Int = 1) {
        if picked.count < most {
            picked.deallocate()
            picked = .allocate(capacity: most)
            picked.initialize(repeating: 0)
        }
        self.period = period.wholeNanoseconds
        longestStep = self.period > 0 ? self.period * 5 / 2 : .max
        version = sinks.currentVersion
        let before = listeners
        listeners = sinks.all.map { sink in
            let rate = (sink.rate ?? configuration.rate).hertz
            let wanted = rate.value.isFinite ? rate.period.wholeNanoseconds : 0
            // A rate that the device can only just reach means every sample.
            var listener = Listener(sink: sink, period: wanted * 100 <= self.period * 105 ? 0 : wanted)
            if let old = before.first(where: { $0.sink === sink }) { listener.due = old.due }
            sink.queue?.reserve(most)
            return listener
        }
    }

    /// No call begins after this.
    func end() {
        isOpen = false
        for listener in listeners {
            guard let waiting = listener.sink.queue?.withdraw(), waiting > 0 else { continue }
            shared.state.withLock { $0.counts.dropped += UInt64(waiting) }
        }
        listeners = []
    }

    /// Takes one sample; `time` is on CLOCK_MONOTONIC.
    func take(raw: SIMD3<Int64>, time: Int64, isMonotonic: Bool, isPolled: Bool = false) {
        var (raw, time) = (raw, time)
        withUnsafeMutablePointer(to: &raw) { raw in
            withUnsafeMutablePointer(to: &time) { time in
                take(SampleRun(raw, time), count: 1, isMonotonic: isMonotonic, isPolled: isPolled)
            }
        }
    }

    /// Takes samples that came together, oldest first; the times are on CLOCK_MONOTONIC. Those that are none are closed up.
    func take(_ run: SampleRun, count: Int, isMonotonic: Bool, isPolled: Bool = false) {
        guard isOpen, count > 0 else { return }
        var tally = Tally()
        let start = hasFirst ? 0 : leadingZeros(run, count, &tally)
        let end = start < count ? sift(run, start, count, &tally) : start
        if end > start {
            lastRaw = run.raw(end - 1)
            let batch = MotionBatch(
                kind: kind, count: end - start, isMonotonic: isMonotonic, isPolled: isPolled, run: run.dropping(start),
                scale: scale, sequence: sequence)
            sequence += UInt64(end - start)
            if !hasFirst {
                hasFirst = true
                report(.first(MonotonicTime(nanoseconds: run.time(start))))
            }
            hand(batch, &tally)
        }
        publish(end - start, tally)
    }

    /// How many of an accelerometer's samples are zeros before its first true one.
    private func leadingZeros(_ run: SampleRun, _ count: Int, _ tally: inout Tally) -> Int {
        guard kind == .accelerometer else { return 0 }
        var start = 0
        while start < count, run.raw(start) == .zero, run.time(start) < zerosUntil.nanoseconds { start += 1 }
        tally.zeros += start
        if start < count, run.raw(start) == .zero, !hasWarnedOfZeros {
            hasWarnedOfZeros = true
            report(.note("implausible: the accelerometer gives exact zeros (0 g) since it was switched on"))
        }
        return start
    }

    /// Looks at the steps from sample to sample and takes out doubles; answers where the samples end now.
    private func sift(_ run: SampleRun, _ start: Int, _ count: Int, _ tally: inout Tally) -> Int {
        var last = lastTime
        if sinceFirst == 0 {
            firstTime = run.time(start)
            last = firstTime &- 1
        }
        let most = UInt64(bitPattern: longestStep)
        var end = start
        for index in start..<count {
            let time = run.time(index)
            let step = time &- last
            // One question for all that is rare: at 0 or below it is a very large number.
            if UInt64(bitPattern: step &- 1) >= most {
                if step == 0, run.raw(index) == (end > start ? run.raw(end - 1) : lastRaw) {
                    tally.duplicates += 1
                    continue
                }
                if step < 0 { tally.backwards += 1 } else if step > 0 { tally.gaps += 1 }
            }
            last = time
            if end != index { run.move(index, to: end) }
            end += 1
        }
        lastTime = last
        sinceFirst += Int64(end - start)
        return end
    }

    private func hand(_ batch: borrowing MotionBatch, _ tally: inout Tally) {
        for index in listeners.indices {
            if listeners[index].period == 0 {
                tally.dropped += listeners[index].sink.take(batch)
                continue
            }
            guard let places = picked.baseAddress else { continue }
            var count = 0
            for place in 0..<batch.count where listeners[index].takes(batch.run.time(place), period: period) {
                places[count] = Int32(truncatingIfNeeded: place)
                count += 1
            }
            guard count > 0 else { continue }
            let part = MotionBatch(
                kind: batch.kind, count: count, isMonotonic: batch.isMonotonic, isPolled: batch.isPolled,
                run: batch.run, picked: places, scale: batch.scale, sequence: batch.sequence)
            tally.dropped += listeners[index].sink.take(part)
        }
    }

    /// Lets other threads see what has been counted.
    private func publish(_ delivered: Int, _ tally: Tally) {
        shared.state.withLock { state in
            state.counts.delivered &+= UInt64(truncatingIfNeeded: delivered)
            (state.firstTime, state.lastTime, state.samples) = (firstTime, lastTime, sinceFirst)
            if tally.dropped > 0 { state.counts.dropped += UInt64(tally.dropped) }
            guard tally.gaps | tally.backwards | tally.duplicates | tally.zeros != 0 else { return }
            state.counts.bad += UInt64(tally.zeros + tally.duplicates)
            state.statistics.gaps += UInt64(tally.gaps)
            state.statistics.backwards += UInt64(tally.backwards)
            state.statistics.duplicates += UInt64(tally.duplicates)
            state.statistics.leadingZeros += UInt64(tally.zeros)
        }
    }

    /// Whether listeners have come or gone since they were last looked at.
    var hasChanges: Bool { version != sinks.currentVersion }
}
