internal import Onstage
internal import OnstageCore
internal import OnstageLinux
internal import OnstageMotion
internal import Synchronization

/// Motion sensors that are held and read. *Runs on:* the main thread.
final class SensorSession {
    /// A sample, and whose: its place among ``sensors``.
    typealias Reading = (sensor: Int, sample: MotionSample)

    private enum Word: Sendable {
        /// There is something in the inbox.
        case samples
    }

    /// What has been handed over by the sensors' threads, and not yet read.
    private final class Inbox: Sendable {
        private let readings = Mutex<[Reading]>([])

        func put(_ batch: borrowing MotionBatch, of sensor: Int) {
            readings.withLock { readings in
                for index in 0..<batch.count { readings.append((sensor, batch[index])) }
            }
        }

        func empty() -> [Reading] {
            readings.withLock { readings in
                defer { readings.removeAll(keepingCapacity: true) }
                return readings
            }
        }
    }

    let sensors: [SensorPick]
    private let motions: [Motion]
    private let held: HeldScene<Word>
    private let inbox = Inbox()

    /// - Parameter rate: in Hz.
    init(_ sensors: [SensorPick], rate: Double, _ signals: SignalDescriptor) throws(DeviceError) {
        self.sensors = sensors
        held = try HeldScene("onstage sensors", awaited: "sample", patience: nil, signals)
        var motions: [Motion] = []
        for (index, sensor) in sensors.enumerated() {
            motions.append(
                Motion(
                    sensor.kind, selector: sensor.selector, rate: .hertz(rate),
                    name: sensors.count > 1 ? "\(sensor.kind.rawValue) \(index + 1)" : sensor.kind.rawValue,
                    isSynthetic: sensor.isSynthetic))
        }
        self.motions = motions
        for (index, motion) in motions.enumerated() {
            // Some at a time: a program that shows 20 pictures a second needs not be woken for each sample.
            try motion.onBatch(maxLatency: .milliseconds(50)) { [inbox, mailbox = held.mailbox] batch in
                inbox.put(batch, of: index)
                mailbox.send(.word(.samples))
            }
        }
    }

    /// What each sensor says it is; its kind until it is open.
    var names: [String] { zip(motions, sensors).map { $0.device?.identity ?? $1.kind.rawValue } }

    /// What is set on the device, in Hz; nil where it does not say.
    func rate(of sensor: Int) -> Double? {
        let format = held.formats[motions[sensor].handle.name]
        guard case .number(let rate)? = format?.entries.first(where: { $0.name == "rate" })?.value else { return nil }
        return rate
    }

    /// Reads until the time since the first sample is up, a signal comes, or `take` answers false.
    ///
    /// - Parameter take: is handed what has come, of each sensor oldest first.
    func read(until duration: Duration?, _ take: ([Reading]) -> Bool) throws(DeviceError) {
        try held.run(motions, until: duration) { message in
            guard case .word(.samples) = message else { return false }
            return !take(inbox.empty())
        }
        _ = take(inbox.empty())
    }
}
