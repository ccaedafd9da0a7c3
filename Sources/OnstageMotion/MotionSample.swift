public import OnstageCore

/// What a motion sensor felt at one moment.
public struct MotionSample: Hashable, Sendable {
    /// Which motion.
    public var kind: MotionKind
    /// x, y and z of the machine, after the mount matrix: m/s² of an accelerometer, rad/s of a gyroscope.
    public var value: SIMD3<Double>
    /// x, y and z of the sensor itself, before the mount matrix, in the same unit.
    public var unmounted: SIMD3<Double>
    /// The numbers as the sensor wrote them, before offset and scale.
    public var raw: SIMD3<Int64>
    /// When it was taken.
    public var timestamp: MonotonicTime
    /// Whether the driver took the time on CLOCK_MONOTONIC. If not, it was converted from another clock, or is the time
    /// of the reading, and a step of that clock may show in it.
    public var isMonotonic: Bool
    /// Whether it was asked for one by one, because the device has no buffer.
    public var isPolled: Bool
    /// Counts the samples since the resource was made, without those that a listener's own rate leaves out.
    public var sequence: UInt64

    public init(
        kind: MotionKind, value: SIMD3<Double>, unmounted: SIMD3<Double>, raw: SIMD3<Int64>, timestamp: MonotonicTime,
        isMonotonic: Bool, isPolled: Bool, sequence: UInt64
    ) {
        self.kind = kind
        self.value = value
        self.unmounted = unmounted
        self.raw = raw
        self.timestamp = timestamp
        self.isMonotonic = isMonotonic
        self.isPolled = isPolled
        self.sequence = sequence
    }

    /// The acceleration in m/s²; nil of a gyroscope.
    public var metersPerSecondSquared: SIMD3<Double>? { kind == .accelerometer ? value : nil }
    /// The turning in rad/s; nil of an accelerometer.
    public var radiansPerSecond: SIMD3<Double>? { kind == .gyroscope ? value : nil }
}
