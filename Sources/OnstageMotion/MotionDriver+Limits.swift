internal import OnstageCore

extension MotionDriver {
    /// Times in nanoseconds.
    struct Limits {
        /// How late samples may be handed on; 0 for each at once.
        let latency: Int64
        /// How long to wait for a sample before looking whether the device is still there: a poll on the node of a device
        /// that was pulled out is not ended by every kernel.
        let probe: Int64
        /// So long without a sample is a stall.
        let stall: Int64

        init(_ configuration: MotionConfiguration, period: Duration, latency: Duration) {
            self.latency = max(0, latency.wholeNanoseconds)
            probe = max(.milliseconds(250), period * 5).wholeNanoseconds
            stall = (max(configuration.stallLimit, period * 5) + max(.zero, latency)).wholeNanoseconds
        }
    }
}

extension MonotonicTime {
    /// So many nanoseconds later.
    @inline(__always)
    func later(_ nanoseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: self.nanoseconds &+ nanoseconds)
    }
}
