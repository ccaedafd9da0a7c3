package import OnstageCore

/// What happened to the virtual sensor: the judge of what a program, and the kernel for it, asked of a sensor.
package struct VirtualIMUEvent: Sendable {
    package enum What: Hashable, Sendable {
        /// The device was made, or has gone (with the reason).
        case created
        case destroyed(String)
        /// The kernel's driver has started or stopped.
        case started, stopped
        /// Somebody has opened it, or the last has closed it.
        case opened, closed
        /// The kernel has set power state, reporting state and interval of one sensor.
        case set(MotionKind, power: String, report: String, interval: UInt32)
        /// A fault has begun or ended.
        case fault(String)
    }

    package var time: MonotonicTime
    package var what: What
}

extension VirtualIMUEvent: CustomStringConvertible {
    /// One line: seconds of CLOCK_MONOTONIC with six decimals, then what happened.
    package var description: String {
        let microseconds = time.nanoseconds / 1000
        let decimals = String(microseconds % 1_000_000)
        let stamp = "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - decimals.count))\(decimals)"
        let text =
            switch what {
            case .created: "created"
            case .destroyed(let reason): "destroyed (\(reason))"
            case .started: "started"
            case .stopped: "stopped"
            case .opened: "opened"
            case .closed: "closed"
            case .set(let kind, let power, let report, let interval):
                "\(kind.rawValue) power=\(power) report=\(report) interval=\(interval)ms"
            case .fault(let text): "fault \(text)"
            }
        return "\(stamp) \(text)"
    }
}
