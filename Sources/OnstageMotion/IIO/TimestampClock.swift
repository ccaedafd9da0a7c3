internal import CLinux
internal import OnstageCore

/// The clock that a device's timestamps are taken on, by its name in `current_timestamp_clock`.
enum TimestampClock: Hashable {
    case monotonic
    /// Another one, by the kernel's number of it; converted at the moment of reading.
    case other(String, number: Int32)
    /// The device gives no time; that of the reading stands for it.
    case reading

    /// nil (no such attribute) is what kernels before 4.5 did: CLOCK_REALTIME.
    init(_ name: String?) {
        switch name ?? "realtime" {
        case "monotonic": self = .monotonic
        case "monotonic_raw": self = .other("monotonic_raw", number: 4)
        case "realtime_coarse": self = .other("realtime_coarse", number: 5)
        case "monotonic_coarse": self = .other("monotonic_coarse", number: 6)
        case "boottime": self = .other("boottime", number: 7)
        case "tai": self = .other("tai", number: 11)
        default: self = .other("realtime", number: 0)
        }
    }

    var name: String {
        switch self {
        case .monotonic: "monotonic"
        case .other(let name, _): "\(name), converted"
        case .reading: "time of reading"
        }
    }

    /// What is to be taken off a timestamp now to have it on CLOCK_MONOTONIC.
    var lead: Int64 {
        guard case .other(_, let number) = self else { return 0 }
        let before = clinux_monotonic()
        let there = clinux_clock(number)
        let after = clinux_monotonic()
        return there - (before + (after - before) / 2)
    }
}
