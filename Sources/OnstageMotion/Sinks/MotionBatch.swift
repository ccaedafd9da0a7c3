public import OnstageCore

/// Samples that came together, oldest first, lent for one call.
///
/// What a sample is in m/s² or rad/s is worked out when it is asked for. At least one is in it.
@frozen
public struct MotionBatch: ~Copyable {
    /// Which motion.
    public let kind: MotionKind
    public let count: Int
    /// As of each sample.
    public let isMonotonic: Bool
    /// As of each sample.
    public let isPolled: Bool
    @usableFromInline let run: SampleRun
    /// Which of the run; nil for all.
    @usableFromInline let picked: UnsafePointer<Int32>?
    @usableFromInline let scale: UnsafePointer<AxisScale>
    /// Of the first in the run.
    @usableFromInline let sequence: UInt64

    init(
        kind: MotionKind, count: Int, isMonotonic: Bool, isPolled: Bool, run: SampleRun,
        picked: UnsafePointer<Int32>? = nil, scale: UnsafePointer<AxisScale>, sequence: UInt64
    ) {
        self.kind = kind
        self.count = count
        self.isMonotonic = isMonotonic
        self.isPolled = isPolled
        self.run = run
        self.picked = picked
        self.scale = scale
        self.sequence = sequence
    }

    @inlinable
    @inline(__always)
    func place(_ index: Int) -> Int {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a sample beyond the batch")
        if let picked { return Int(picked[index]) }
        return index
    }

    /// x, y and z of the machine, after the mount matrix, in m/s² or rad/s.
    @inlinable
    public func value(_ index: Int) -> SIMD3<Double> {
        scale.pointee.mounted(scale.pointee.unmounted(run.raw(place(index))))
    }

    /// The numbers as the sensor wrote them.
    @inlinable
    public func raw(_ index: Int) -> SIMD3<Int64> { run.raw(place(index)) }

    /// When it was taken.
    @inlinable
    public func timestamp(_ index: Int) -> MonotonicTime { MonotonicTime(nanoseconds: run.time(place(index))) }

    /// Counts the samples since the resource was made.
    @inlinable
    public func sequence(_ index: Int) -> UInt64 { sequence &+ UInt64(truncatingIfNeeded: place(index)) }

    /// All of one sample.
    public subscript(index: Int) -> MotionSample { sample(at: place(index)) }

    @inline(__always)
    func sample(at place: Int) -> MotionSample {
        let raw = run.raw(place)
        let unmounted = scale.pointee.unmounted(raw)
        return MotionSample(
            kind: kind, value: scale.pointee.mounted(unmounted), unmounted: unmounted, raw: raw,
            timestamp: MonotonicTime(nanoseconds: run.time(place)), isMonotonic: isMonotonic, isPolled: isPolled,
            sequence: sequence &+ UInt64(truncatingIfNeeded: place))
    }
}
