/// A moment on CLOCK_MONOTONIC.
///
/// Nanoseconds since an unspecified start, never set back, standing while the system sleeps. Every timestamp that
/// Onstage hands out is one of these or is marked.
public struct MonotonicTime: Hashable, Comparable, Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool {
        a.nanoseconds < b.nanoseconds
    }

    /// The time `duration` later, kept at the ends of the range instead of wrapping.
    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        guard overflow else { return MonotonicTime(nanoseconds: sum) }
        return MonotonicTime(nanoseconds: duration < .zero ? .min : .max)
    }

    public static func - (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        time + (.zero - duration)
    }

    public static func - (end: MonotonicTime, start: MonotonicTime) -> Duration {
        // Two conversions and a subtraction in 128 bits cost more than everything else that is done for a frame.
        let (difference, overflow) = end.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
        return overflow ? .nanoseconds(end.nanoseconds) - .nanoseconds(start.nanoseconds) : .nanoseconds(difference)
    }
}

extension Duration {
    /// The whole nanoseconds of this duration, kept at the ends of `Int64`.
    package var wholeNanoseconds: Int64 {
        // Up to 9 s the attoseconds fit into 64 bits, which divide many times faster than 128.
        if let few = Int64(exactly: attoseconds) { return few / 1_000_000_000 }
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, beyond) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return beyond ? (seconds < 0 ? .min : .max) : sum
    }
}
