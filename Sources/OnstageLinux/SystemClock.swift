package import OnstageCore

/// CLOCK_MONOTONIC.
package struct SystemClock: MonotonicClock {
    package init() {}

    package var now: MonotonicTime { .now }

    package func timeout(until deadline: MonotonicTime?, waking waker: any Waker) -> Int64 {
        guard let deadline else { return -1 }
        // In 64 bits: asked before every wait of every thread.
        let (rest, overflow) = deadline.nanoseconds.subtractingReportingOverflow(MonotonicTime.now.nanoseconds)
        return overflow ? .max : max(0, rest)
    }
}
