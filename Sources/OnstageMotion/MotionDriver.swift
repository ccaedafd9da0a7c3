package import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// An accelerometer or a gyroscope of the kernel's IIO, read from its buffer, or polled where it has none.
///
/// The node is opened before anything is changed on the device: only one process can have it, so whoever has it may
/// change the rest, and a buffer that is enabled without a holder is what a dead one left.
package final class MotionDriver: DeviceDriver {
    /// What is going on while it is acquired.
    enum Phase {
        case closed
        /// Nobody listens: nothing is open or switched on.
        case idle
        case streaming
        /// Switched off for a moment because the sensor had fallen silent, and switched on again then.
        case restarting(MonotonicTime)
        case polling
    }

    let configuration: MotionConfiguration
    let sinks: MotionSinks
    let tree: IIOTree
    let report: DriverReporter
    let delivery: MotionDelivery

    // Unchecked is what is touched for each sample, by the device's thread alone and never from within itself: the checks
    // for that would cost more than the rest.

    var sensor: IIOSensor?
    /// Of the machine when the sensor was found.
    private var signature: DeviceSignature?
    /// How its samples lie; nil until the first acquire since it was found.
    var description: SensorBuffer.Description?
    @exclusivity(unchecked) var phase = Phase.closed
    var buffer: SensorBuffer?
    var poller: SensorPoller?
    var rate: SensorRate?
    var scale = SensorScale(offset: .zero, scale: SIMD3(repeating: 1), mount: .identity)
    @exclusivity(unchecked) var storage = SampleStorage()
    /// The buffer's descriptor while it is open, and whether its times are on CLOCK_MONOTONIC: asked for at each sample.
    @exclusivity(unchecked) var node: Int32 = -1
    @exclusivity(unchecked) var isMonotonic = false
    /// Of the device, as read back; zero when it is not known.
    var period = Duration.zero { didSet { limits = Limits(configuration, period: period, latency: latency) } }
    /// How late samples may be handed on; zero for each at once.
    var latency = Duration.zero { didSet { limits = Limits(configuration, period: period, latency: latency) } }
    /// The same in whole nanoseconds, with what follows from it: reckoned once, and asked for at each sample.
    @exclusivity(unchecked) var limits: Limits
    @exclusivity(unchecked) var lastSample = MonotonicTime(nanoseconds: 0)
    @exclusivity(unchecked) var lastRead = MonotonicTime(nanoseconds: 0)
    /// Since when it has been silent for so long that it was switched off and on.
    @exclusivity(unchecked) var silentSince: MonotonicTime?
    var savedPowerDown: String?
    /// The wished delay of switching off could not be set yet.
    var needsPowerDown = false
    @exclusivity(unchecked) private var seenFlushes: UInt64 = 0
    /// Where the wait set has the listeners' wake and the node; -1 where it has not.
    @exclusivity(unchecked) private var wakeIndex = -1
    @exclusivity(unchecked) private var nodeIndex = -1

    package init(
        configuration: MotionConfiguration, sinks: MotionSinks, tree: IIOTree = .system,
        report: @escaping DriverReporter
    ) {
        self.configuration = configuration
        self.sinks = sinks
        var tree = tree
        if tree.isKernel { tree.files = AttributeFiles() }
        self.tree = tree
        self.report = report
        limits = Limits(configuration, period: .zero, latency: .zero)
        delivery = MotionDelivery(configuration.kind, sinks: sinks, report: report)
    }

    package var counts: DriverCounts { delivery.shared.counts }
    /// What was seen in the samples. *Runs on:* any thread.
    package var statistics: MotionStatistics { delivery.shared.statistics }

    package func resolve() throws(DeviceError) -> ResolvedDevice {
        let seen = tree.files == nil ? nil : DeviceSignature(tree)
        if let seen, seen == signature, let sensor {
            return ResolvedDevice(key: sensor.node, identity: sensor.identity, node: sensor.node)
        }
        tree.files?.forget()
        signature = nil
        description = nil
        var looking = tree
        looking.files = nil  // those of the other devices are not worth keeping
        let sensor = try looking.sensor(configuration.kind, configuration.selector)
        self.sensor = sensor
        signature = seen
        return ResolvedDevice(key: sensor.node, identity: sensor.identity, node: sensor.node)
    }

    package func acquire(
        _ device: ResolvedDevice, _ cancellation: any CancellationSource
    ) throws(DeviceError) -> Acquired {
        guard let sensor, sensor.node == device.node else {
            throw DeviceError(.absent, operation: "", device: device.identity, reason: "it is no longer where it was")
        }
        guard delivery.isListenedTo else {
            phase = .idle
            return Acquired(
                format: [("rateAsked", Self.value(configuration.rate.hertz.value))],
                notes: ["nobody listens: it is left off"])
        }
        return try start(sensor, cancellation)
    }

    package func prepare(_ wait: inout WaitSet) {
        wakeIndex = -1
        nodeIndex = -1
        if case .closed = phase { return }
        wakeIndex = wait.add(sinks.descriptor)
        switch phase {
        case .closed, .idle: break
        case .streaming:
            // A batch is waited for by time alone: the kernel wakes whoever polls the node at every sample, whatever the
            // watermark, and that costs more than all the rest.
            if limits.latency == 0 {
                if node >= 0 { nodeIndex = wait.add(node) }
                wait.wake(at: lastRead.later(limits.probe))
            } else {
                wait.wake(at: lastRead.later(limits.latency))
            }
        case .restarting(let until): wait.wake(at: until)
        case .polling: if let poller { wait.wake(at: poller.due) }
        }
    }

    /// While each sample is handed on at once: the deadline that was named is never later than the present one, as each
    /// reading puts it off.
    package var keepsWait: Bool {
        guard nodeIndex >= 0, case .streaming = phase else { return false }
        return limits.latency == 0
    }

    package func service(_ wait: borrowing WaitSet, now: MonotonicTime) throws(DeviceError) {
        if wakeIndex >= 0, wait.answers(wakeIndex) != 0 { sinks.clearWake() }
        let hasData = nodeIndex >= 0 && wait.answers(nodeIndex) != 0
        if delivery.hasChanges {
            nodeIndex = -1  // the wait is to be named anew
            try followListeners(now: now)
        }
        let flushes = sinks.flushCount
        let isFlushed = flushes != seenFlushes
        seenFlushes = flushes
        switch phase {
        case .closed, .idle: break
        case .streaming:
            let wait = limits.latency == 0 ? limits.probe : limits.latency
            if hasData || isFlushed || now.nanoseconds &- lastRead.nanoseconds >= wait { try read(now: now) }
            if now.nanoseconds &- lastSample.nanoseconds >= limits.stall { try restartOnce(now: now) }
        case .restarting(let until):
            if now >= until { try switchOnAgain(now: now) }
        case .polling:
            if now >= poller?.due ?? now { try poll(now: now) }
        }
    }

    package func release(_ request: ReleaseRequest, now: MonotonicTime) -> ReleaseStep {
        stop()
        phase = .closed
        return .released(ReleaseDetail(released: .now, lastSequence: delivery.lastSequence))
    }

    /// Does nothing: no call of this driver waits in the node, so there is nothing to break off. A write of an attribute
    /// that the kernel holds (a HID sensor that does not answer: 5 s each) cannot be ended from outside.
    package func force() {}

    static func value(_ rate: Double) -> FormatValue {
        rate.isFinite ? .number(rate) : .text("fastest")
    }
}
