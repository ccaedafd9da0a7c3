internal import CLinux
package import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// An accelerometer and a gyroscope that this process plays to the kernel through /dev/uhid.
///
/// The kernel then has two real IIO devices, `accel_3d` and `gyro_3d`. Whatever a program and the kernel ask of the
/// sensor is logged with its time: who wants to know whether a sensor was really switched off asks here.
package final class VirtualIMU: Sendable {
    private struct Control {
        var faults: [(fault: VirtualIMUFault, from: MonotonicTime, until: MonotonicTime?)] = []
        var injected: [VirtualIMUFault] = []
        var clears = false
        var stops = false
    }

    private let options: VirtualIMUOptions
    private let log: @Sendable (VirtualIMUEvent) -> Void
    private let control = Mutex(Control())
    private let wake: Descriptor

    /// `log` is called on the thread of ``run(stop:)``.
    /// - Throws: `tooMany` when no descriptor is left.
    package init(
        _ options: VirtualIMUOptions, log: @escaping @Sendable (VirtualIMUEvent) -> Void
    ) throws(DeviceError) {
        self.options = options
        self.log = log
        let number = clinux_eventfd()
        guard number >= 0 else { throw DeviceError(errno: -number, operation: "eventfd", device: "virtual IMU") }
        wake = Descriptor(owning: number)
    }

    /// Ends ``run(stop:)`` soon. *Runs on:* any thread.
    package func stop() {
        control.withLock { $0.stops = true }
        clinux_eventfd_add(wake.number)
    }

    /// Begins a fault; its start counts from now. *Runs on:* any thread.
    package func inject(_ fault: VirtualIMUFault) {
        control.withLock { $0.injected.append(fault) }
        clinux_eventfd_add(wake.number)
    }

    /// Ends all faults. *Runs on:* any thread.
    package func clearFaults() {
        control.withLock { $0.clears = true }
        clinux_eventfd_add(wake.number)
    }

    /// Plays the sensor until ``stop()``, until `stop` becomes readable, or until it dies of a fault for good.
    /// - Throws: `absent` or `permission` when /dev/uhid cannot be opened; what the kernel says to the device.
    package func run(stop: Int32? = nil) throws(DeviceError) {
        var pending = options.faults
        while true {
            var session = try Session(options, log: log)
            session.faults = pending.map { Self.timed($0, now: session.created) }
            let end = run(&session, stop: stop)
            session.end(end.reason)
            guard let back = end.back else { return }
            // Pulled out: what is plugged in again later has the faults that are left, from then on.
            pending = []
            guard wait(until: back, stop: stop) else { return }
        }
    }

    private struct End {
        var reason: String
        var back: MonotonicTime?
    }

    private func run(_ session: inout Session, stop: Int32?) -> End {
        while true {
            let now = MonotonicTime.now
            if let end = obey(&session, now: now) { return end }
            session.answerAndSend(now: now)
            var set: [pollfd] = [
                pollfd(fd: session.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let rest = session.deadline.map { max(0, $0.nanoseconds - MonotonicTime.now.nanoseconds) } ?? -1
            _ = clinux_poll(&set, UInt(set.count), rest)
            if set[2].revents != 0 { return End(reason: "stopped") }
            if set[1].revents != 0 { clinux_eventfd_clear(wake.number) }
            if set[0].revents != 0, let reason = session.listen(now: .now) { return End(reason: reason) }
        }
    }

    /// Takes what other threads want, and a death that is due.
    private func obey(_ session: inout Session, now: MonotonicTime) -> End? {
        let (stops, clears, injected) = control.withLock { control in
            defer {
                control.clears = false
                control.injected = []
            }
            return (control.stops, control.clears, control.injected)
        }
        if stops { return End(reason: "stopped") }
        if clears { session.faults = [] }
        session.faults += injected.map { Self.timed($0, now: now) }
        for fault in session.faults where fault.kind == .die && fault.from <= now {
            return End(reason: "die", back: fault.until)
        }
        return nil
    }

    /// Waits while the device is pulled out; false when it is to end meanwhile.
    private func wait(until time: MonotonicTime, stop: Int32?) -> Bool {
        while MonotonicTime.now < time {
            var set: [pollfd] = [
                pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            _ = clinux_poll(&set, UInt(set.count), max(0, time.nanoseconds - MonotonicTime.now.nanoseconds))
            if set[0].revents != 0 { clinux_eventfd_clear(wake.number) }
            if set[1].revents != 0 || control.withLock({ $0.stops }) { return false }
        }
        return true
    }

    private static func timed(_ fault: VirtualIMUFault, now: MonotonicTime) -> Session.TimedFault {
        let from = now + fault.start
        return Session.TimedFault(fault: fault, from: from, until: fault.duration.map { from + $0 })
    }
}
