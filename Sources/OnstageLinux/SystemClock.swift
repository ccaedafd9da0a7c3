package import OnstageCore

/// CLOCK_MONOTONIC.
package struct SystemClock: MonotonicClock {
    package init() {}

    package var now: MonotonicTime { .now }

    package func timeout(until deadline: MonotonicTime?, waking waker: any Waker) -> Int64 {
        deadline.map { max(0, ($0 - .now).wholeNanoseconds) } ?? -1
    }
}
