internal import CLinux
package import OnstageCore

/// A timer of the kernel that ends waits: set once for as many as come, where a timeout is set up anew by each.
package struct Alarm: ~Copyable {
    private let timer: Descriptor

    /// - Throws: `tooMany` when the process is out of descriptors. *C: `timerfd_create`.*
    package init() throws(DeviceError) {
        let answer = clinux_timerfd()
        guard answer >= 0 else { throw DeviceError(errno: -answer, operation: "timerfd_create", device: "alarm") }
        timer = Descriptor(owning: answer)
    }

    /// Readable from the time that was set on.
    package var descriptor: Int32 { timer.number }

    /// Rings at `time`, and no sooner, whatever was set before. *C: `timerfd_settime`.*
    package func set(_ time: MonotonicTime) {
        // Fails for times that are none only.
        _ = clinux_timerfd_set(timer.number, time.nanoseconds)
    }
}
