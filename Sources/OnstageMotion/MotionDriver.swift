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

    var sensor: IIOSensor?
    var phase = Phase.closed
    var buffer: SensorBuffer?
    var poller: SensorPoller?
    var rate: SensorRate?
    var scale = SensorScale(offset: .zero, scale: SIMD3(repeating: 1), mount: .identity)
    var storage = SampleStorage()
    /// Of the device, as read back; zero when it is not known.
    var period = Duration.zero
    /// How late samples may be handed on; zero for each at once.
    var latency = Duration.zero
    var lastSample = MonotonicTime(nanoseconds: 0)
    var lastRead = MonotonicTime(nanoseconds: 0)
    /// Since when it has been silent for so long that it was switched off and on.
    var silentSince: MonotonicTime?
    var savedPowerDown: String?
    /// The wished delay of switching off could not be set yet.
    var needsPowerDown = false
    private var seenFlushes: UInt64 = 0
    /// Where the wait set has the listeners' wake and the node.
    private var wakeIndex: Int?
    private var nodeIndex: Int?

    package init(
        configuration: MotionConfiguration, sinks: MotionSinks, tree: IIOTree = .system,
        report: @escaping DriverReporter
    ) {
        self.configuration = configuration
        self.sinks = sinks
        self.tree = tree
        self.report = report
        delivery = MotionDelivery(configuration.kind, sinks: sinks, report: report)
    }

    package var counts: DriverCounts { delivery.shared.counts.withLock { $0 } }
    /// What was seen in the samples. *Runs on:* any thread.
    package var statistics: MotionStatistics { delivery.shared.statistics.withLock { $0 } }

    package func resolve() throws(DeviceError) -> ResolvedDevice {
        let sensor = try tree.sensor(configuration.kind, configuration.selector)
        self.sensor = sensor
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
        wakeIndex = nil
        nodeIndex = nil
        guard case .closed = phase else {
            wakeIndex = wait.add(sinks.descriptor)
            prepareDevice(&wait)
            return
        }
    }

    private func prepareDevice(_ wait: inout WaitSet) {
        switch phase {
        case .closed, .idle: break
        case .streaming:
            // A batch is waited for by time alone: the kernel wakes whoever polls the node at every sample, whatever the
            // watermark, and that costs more than all the rest.
            if latency == .zero {
                if let buffer { nodeIndex = wait.add(buffer.descriptor) }
                wait.wake(at: lastRead + probeInterval)
            } else {
                wait.wake(at: lastRead + latency)
            }
        case .restarting(let until): wait.wake(at: until)
        case .polling: if let poller { wait.wake(at: poller.due) }
        }
    }

    package func service(_ wait: borrowing WaitSet, now: MonotonicTime) throws(DeviceError) {
        if let wakeIndex, wait.answers(wakeIndex) != 0 { sinks.clearWake() }
        if delivery.hasChanges { try followListeners(now: now) }
        let flushes = sinks.flushCount
        let isFlushed = flushes != seenFlushes
        seenFlushes = flushes
        switch phase {
        case .closed, .idle: break
        case .streaming:
            let hasData = nodeIndex.map { wait.answers($0) != 0 } ?? false
            let due = lastRead + (latency == .zero ? probeInterval : latency)
            if hasData || isFlushed || now >= due { try read(now: now) }
            try restartIfSilent(now: now)
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
