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

    /// Hands each sample to `body`, oldest first: its numbers, its value in m/s² or rad/s, and its time. The cheapest way
    /// through a batch: what is the same for all is asked once.
    @inlinable
    @inline(__always)
    public func each(_ body: (_ raw: SIMD3<Int64>, _ value: SIMD3<Double>, _ timestamp: MonotonicTime) -> Void) {
        switch run.form {
        case .whole32 where picked == nil && !scale.pointee.isTurned:
            let (x, y, z) = (run.x, run.y, run.z)
            each(body) { sample in
                (
                    sample.loadUnaligned(fromByteOffset: x, as: Int32.self),
                    sample.loadUnaligned(fromByteOffset: y, as: Int32.self),
                    sample.loadUnaligned(fromByteOffset: z, as: Int32.self)
                )
            }
        case .in16 where picked == nil && !scale.pointee.isTurned:
            let (x, y, z, up, down) = (run.x, run.y, run.z, run.up, run.down)
            each(body) { sample in
                (
                    (Int32(sample.loadUnaligned(fromByteOffset: x, as: UInt16.self)) &<< up) &>> down,
                    (Int32(sample.loadUnaligned(fromByteOffset: y, as: UInt16.self)) &<< up) &>> down,
                    (Int32(sample.loadUnaligned(fromByteOffset: z, as: UInt16.self)) &<< up) &>> down
                )
            }
        case .whole32, .in16, .decoded:
            for index in 0..<count { body(raw(index), value(index), timestamp(index)) }
        }
    }

    @inlinable
    @inline(__always)
    func each(
        _ body: (_ raw: SIMD3<Int64>, _ value: SIMD3<Double>, _ timestamp: MonotonicTime) -> Void,
        _ load: (UnsafeRawPointer) -> (Int32, Int32, Int32)
    ) {
        let (offset, factor) = (scale.pointee.offset, scale.pointee.scale)
        let (step, timeStep) = (run.step, run.timeStep)
        var (sample, time) = (UnsafeRawPointer(run.bytes), UnsafeRawPointer(run.times))
        var left = count
        while left > 0 {
            let raw = load(sample)
            let value = SIMD3(
                (Double(raw.0) + offset.x) * factor.x, (Double(raw.1) + offset.y) * factor.y,
                (Double(raw.2) + offset.z) * factor.z)
            body(
                SIMD3(Int64(raw.0), Int64(raw.1), Int64(raw.2)), value,
                MonotonicTime(nanoseconds: time.loadUnaligned(as: Int64.self)))
            sample += step
            time += timeStep
            left &-= 1
        }
    }

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
