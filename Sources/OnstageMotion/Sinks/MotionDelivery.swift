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
    }

    /// Read by any thread.
    final class Shared: Sendable {
        let counts = Mutex(DriverCounts())
        let statistics = Mutex(MotionStatistics())
    }

    private let kind: MotionKind
    private let sinks: MotionSinks
    private let report: DriverReporter
    let shared = Shared()

    private var listeners: [Listener] = []
    private var version: UInt64 = 0
    private(set) var isOpen = false
    private var sequence: UInt64 = 0
    private var hasFirst = false
    private var hasWarnedOfZeros = false
    private var lastRaw: SIMD3<Int64>?
    private var lastTime: Int64 = 0
    private var firstTime: Int64 = 0
    private var sinceFirst: Int64 = 0
    /// Leading zeros are no samples until then.
    private var zerosUntil = MonotonicTime(nanoseconds: .min)
    private var period: Int64 = 0

    init(_ kind: MotionKind, sinks: MotionSinks, report: @escaping DriverReporter) {
        self.kind = kind
        self.sinks = sinks
        self.report = report
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
    func begin(period: Duration, configuration: MotionConfiguration, now: MonotonicTime) {
        isOpen = true
        hasFirst = false
        hasWarnedOfZeros = false
        lastRaw = nil
        lastTime = 0
        sinceFirst = 0
        // Twice the report interval is what HID sensors need, as their own kernel driver believes. Exact zeros beyond it,
        // before anything else was felt, are no sooner true; after a second they are handed on, with a warning.
        zerosUntil = now + max(.seconds(1), period * 2)
        retune(period: period, configuration: configuration)
    }

    /// The device's rate or the listeners have changed.
    func retune(period: Duration, configuration: MotionConfiguration) {
        self.period = period.wholeNanoseconds
        version = sinks.currentVersion
        let before = listeners
        listeners = sinks.all.map { sink in
            let rate = (sink.rate ?? configuration.rate).hertz
            let wanted = rate.value.isFinite ? rate.period.wholeNanoseconds : 0
            // A rate that the device can only just reach means every sample.
            var listener = Listener(sink: sink, period: wanted * 100 <= self.period * 105 ? 0 : wanted)
            if let old = before.first(where: { $0.sink === sink }) { listener.due = old.due }
            return listener
        }
    }

    /// No call begins after this.
    func end() {
        isOpen = false
        for listener in listeners {
            guard let waiting = listener.sink.queue?.withdraw(), waiting > 0 else { continue }
            shared.counts.withLock { $0.dropped += UInt64(waiting) }
        }
        listeners = []
    }

    /// Takes one sample; `time` is on CLOCK_MONOTONIC.
    func take(
        raw: SIMD3<Int64>, value: SIMD3<Double>, unmounted: SIMD3<Double>, time: Int64, isMonotonic: Bool,
        isPolled: Bool = false
    ) {
        guard isOpen else { return }
        if kind == .accelerometer && raw == .zero {
            if !hasFirst && MonotonicTime(nanoseconds: time) < zerosUntil {
                shared.counts.withLock { $0.bad += 1 }
                shared.statistics.withLock { $0.leadingZeros += 1 }
                return
            }
            if !hasFirst && !hasWarnedOfZeros {
                hasWarnedOfZeros = true
                report(.note("implausible: the accelerometer gives exact zeros (0 g) since it was switched on"))
            }
        }
        if time == lastTime && raw == lastRaw {
            shared.counts.withLock { $0.bad += 1 }
            shared.statistics.withLock { $0.duplicates += 1 }
            return
        }
        observe(time)
        lastRaw = raw
        let sample = MotionSample(
            kind: kind, value: value, unmounted: unmounted, raw: raw, timestamp: MonotonicTime(nanoseconds: time),
            isMonotonic: isMonotonic, isPolled: isPolled, sequence: sequence)
        sequence += 1
        if !hasFirst {
            hasFirst = true
            report(.first(sample.timestamp))
        }
        var lost: UInt64 = 0
        for index in listeners.indices {
            if listeners[index].period > 0 {
                guard time >= listeners[index].due else { continue }
                // Half a device period early is as near as half a period late; a long gap begins anew.
                let next = listeners[index].due &+ listeners[index].period
                let isLate = listeners[index].due == .min || next < time
                listeners[index].due = isLate ? time + listeners[index].period - period / 2 : next
            }
            if !listeners[index].sink.take(sample) { lost += 1 }
        }
        shared.counts.withLock { counts in
            counts.delivered += 1
            counts.dropped += lost
        }
    }

    /// Whether listeners have come or gone since they were last looked at.
    var hasChanges: Bool { version != sinks.currentVersion }

    private func observe(_ time: Int64) {
        defer { lastTime = time }
        if sinceFirst == 0 { firstTime = time }
        sinceFirst += 1
        guard sinceFirst > 1 else { return }
        let step = time - lastTime
        shared.statistics.withLock { statistics in
            if period > 0 && step > period * 5 / 2 { statistics.gaps += 1 }
            if step < 0 { statistics.backwards += 1 }
            if time > firstTime { statistics.rate = Double(sinceFirst - 1) * 1e9 / Double(time - firstTime) }
        }
    }
}
