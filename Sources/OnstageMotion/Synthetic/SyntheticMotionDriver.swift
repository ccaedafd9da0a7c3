package import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// An accelerometer or a gyroscope made up by Onstage: paced, lying still or turning slowly. Not hardware, and said so.
package final class SyntheticMotionDriver: DeviceDriver {
    private let configuration: MotionConfiguration
    private let sinks: MotionSinks
    private let delivery: MotionDelivery
    private let motion: VirtualMotion
    private let scale: SensorScale
    private let report: DriverReporter

    private var isOpen = false
    private var period = Duration.zero
    private var latency = Duration.zero
    /// Since when it has been on, and the number of the next sample.
    private var start = MonotonicTime(nanoseconds: 0)
    private var next: Int64 = 0

    /// The most samples a second that are made.
    package static let fastest: Double = 1_000

    /// - Parameter turn: how fast it turns about x, in rad/s; 0 lies still, with z up.
    package init(
        configuration: MotionConfiguration, sinks: MotionSinks, turn: Double = 0, report: @escaping DriverReporter
    ) {
        self.configuration = configuration
        self.sinks = sinks
        self.report = report
        delivery = MotionDelivery(configuration.kind, sinks: sinks, report: report)
        motion = turn == 0 ? .still : .rotate(radiansPerSecond: turn)
        scale = SensorScale(
            offset: .zero, scale: SIMD3(repeating: 1e-5), mount: configuration.mountMatrix ?? .identity)
    }

    package var counts: DriverCounts { delivery.shared.counts }
    /// What was seen in the samples. *Runs on:* any thread.
    package var statistics: MotionStatistics { delivery.shared.statistics }

    package func resolve() throws(DeviceError) -> ResolvedDevice {
        let name = "synthetic \(configuration.kind.rawValue) 0"
        return ResolvedDevice(key: name, identity: name, node: name, isSynthetic: true)
    }

    package func acquire(
        _ device: ResolvedDevice, _ cancellation: any CancellationSource
    ) throws(DeviceError) -> Acquired {
        try cancellation.check("start", device: device.identity)
        let now = MonotonicTime.now
        begin(now: now)
        isOpen = true
        delivery.begin(period: period, configuration: configuration, scale: scale, now: now)
        let asked = delivery.wishes(configuration).rate
        return Acquired(format: [
            ("rateAsked", MotionDriver.value(asked)), ("rate", .number(Hertz(period: period).value)),
            ("scale", .number(scale.scale.x)),
            ("clock", .text("monotonic")), ("trigger", .text("none")), ("polled", .flag(false)),
        ])
    }

    private func begin(now: MonotonicTime) {
        let wishes = delivery.wishes(configuration)
        period = Hertz(min(max(wishes.rate, 0.1), Self.fastest)).period
        latency = max(.zero, wishes.latency)
        start = now
        next = 1
    }

    package func prepare(_ wait: inout WaitSet) {
        guard isOpen else { return }
        wait.add(sinks.descriptor)
        if delivery.isListenedTo { wait.wake(at: time(of: next) + latency) }
    }

    package func service(_ wait: borrowing WaitSet, now: MonotonicTime) throws(DeviceError) {
        guard isOpen else { return }
        sinks.clearWake()
        if delivery.hasChanges {
            begin(now: now)
            delivery.retune(period: period, configuration: configuration)
        }
        guard delivery.isListenedTo else { return }
        // After a long sleep the samples of that time are not made up one by one.
        if now - time(of: next) > .seconds(1) + latency { begin(now: now) }
        while time(of: next) <= now {
            let time = time(of: next)
            next += 1
            let seconds = Double((time - start).wholeNanoseconds) / 1e9
            let moment = motion.moment(at: seconds, up: .z)
            let felt = configuration.kind == .accelerometer ? moment.acceleration : moment.turn
            let counts = (felt / scale.scale).rounded(.toNearestOrAwayFromZero)
            delivery.take(raw: SIMD3<Int64>(counts), time: time.nanoseconds, isMonotonic: true)
        }
    }

    package func release(_ request: ReleaseRequest, now: MonotonicTime) -> ReleaseStep {
        isOpen = false
        delivery.end()
        return .released(ReleaseDetail(released: .now, lastSequence: delivery.lastSequence))
    }

    /// Does nothing: nothing here can be held.
    package func force() {}

    private func time(of number: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: start.nanoseconds + number * period.wholeNanoseconds)
    }
}
