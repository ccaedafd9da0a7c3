public import OnstageCore
internal import CLinux

extension MonotonicTime {
    /// Now. *C: `clock_gettime(CLOCK_MONOTONIC)`.*
    public static var now: MonotonicTime {
        MonotonicTime(nanoseconds: clinux_monotonic())
    }
}
