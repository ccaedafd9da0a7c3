import CLinux
import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstageMotion

/// A virtual sensor that runs on a thread of its own, and what it has logged.
final class RunningIMU: Sendable {
    private let imu: VirtualIMU
    private let log: Log

    private final class Log: Sendable {
        let events = Mutex<[VirtualIMUEvent]>([])
        let mail: Mailbox<Void>
        init() throws { mail = try Mailbox() }
    }

    init(_ change: (inout VirtualIMUOptions) -> Void = { _ in }) throws {
        var options = VirtualIMUOptions()
        change(&options)
        let log = try Log()
        self.log = log
        let imu = try VirtualIMU(options) { event in
            log.events.withLock { $0.append(event) }
            log.mail.send(())
        }
        self.imu = imu
        try PosixThread.start("virtual-imu") {
            do throws(DeviceError) {
                try imu.run()
            } catch {
                Issue.record("virtual sensor: \(error)")
            }
        }
    }

    deinit { imu.stop() }

    func inject(_ fault: VirtualIMUFault) { imu.inject(fault) }
    func clearFaults() { imu.clearFaults() }
    var events: [VirtualIMUEvent] { log.events.withLock { $0 } }
    var text: String { events.map { "\($0)\n" }.joined() }

    /// Takes the device away, and waits until it is gone.
    func stop() {
        imu.stop()
        wait { event in
            if case .destroyed = event.what { true } else { false }
        }
    }

    /// Waits for an event since `time`; nil when it has not come.
    @discardableResult
    func wait(
        _ limit: Duration = .seconds(10), since time: MonotonicTime = MonotonicTime(nanoseconds: 0),
        for isWanted: (VirtualIMUEvent) -> Bool
    ) -> VirtualIMUEvent? {
        let end = MonotonicTime.now + limit
        while true {
            if let event = events.first(where: { $0.time >= time && isWanted($0) }) { return event }
            let rest = (end - .now).wholeNanoseconds
            guard rest > 0 else { return nil }
            var entry = pollfd(fd: log.mail.descriptor, events: Int16(POLLIN), revents: 0)
            _ = clinux_poll(&entry, 1, rest)
            _ = log.mail.take()
        }
    }

    func waitForPowerOff(_ kind: MotionKind, since time: MonotonicTime, _ limit: Duration = .seconds(8)) -> Duration? {
        wait(limit, since: time) { event in
            guard case .set(kind, let power, let report, _) = event.what else { return false }
            return power == "off" && report == "none"
        }.map { $0.time - time }
    }

    /// Waits until the kernel shows both sensors. It tells of it by uevents only; here it is asked a few times.
    static func waitForSensors(_ count: Int = 1) -> Bool {
        let end = MonotonicTime.now + .seconds(15)
        while MonotonicTime.now < end {
            let isThere = MotionKind.allCases.allSatisfy { IIOTree.system.sensors($0).count == count }
            if isThere { return true }
            _ = clinux_poll(nil, 0, 20_000_000)
        }
        return false
    }
}
