package import OnstageCore

/// CLOCK_MONOTONIC.
package struct SystemClock: MonotonicClock {
    package init() {}

    package var now: MonotonicTime { .now }

    package func timeout(until deadline: MonotonicTime?, waking waker: any Waker) -> Int64 {
        guard let deadline else { return -1 }
        let now = MonotonicTime.now
        // In 64 bits, and never below 0: asked before every wait of every thread.
        return max(deadline, now).nanoseconds - now.nanoseconds
    }
}
