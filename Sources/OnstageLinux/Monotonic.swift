internal import CLinux
public import OnstageCore

extension MonotonicTime {
    /// Now. *C: `clock_gettime(CLOCK_MONOTONIC)`.*
    public static var now: MonotonicTime {
        MonotonicTime(nanoseconds: clinux_monotonic())
    }
}
