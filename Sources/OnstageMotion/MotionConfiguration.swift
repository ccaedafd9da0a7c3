internal import OnstageCore

/// What is asked of one motion sensor.
package struct MotionConfiguration: Sendable {
    package var kind: MotionKind
    package var selector: MotionSelector
    /// The rate for listeners that ask for none of their own.
    package var rate: MotionRate
    /// How late samples may be handed on, for listeners that ask for nothing else; zero = each at once. Batches cost a
    /// fraction of the wake-ups.
    package var maxLatency: Duration
    /// How the sensor sits in the machine; nil for what the device says of itself.
    package var mountMatrix: MountMatrix?
    /// How soon the kernel is to switch the sensor off after its release; nil leaves the kernel's own time (3 s for HID
    /// sensors). Stays set on the device.
    package var powerDownDelay: Duration?
    /// The trigger to use where the device has none of its own name.
    package var trigger: String?
    /// So long without a sample is a stall (but never less than five periods).
    package var stallLimit: Duration

    package init(
        kind: MotionKind, selector: MotionSelector = .any, rate: MotionRate = .game, maxLatency: Duration = .zero,
        mountMatrix: MountMatrix? = nil, powerDownDelay: Duration? = nil, trigger: String? = nil,
        stallLimit: Duration = .seconds(1)
    ) {
        self.kind = kind
        self.selector = selector
        self.rate = rate
        self.maxLatency = maxLatency
        self.mountMatrix = mountMatrix
        self.powerDownDelay = powerDownDelay
        self.trigger = trigger
        self.stallLimit = stallLimit
    }
}
