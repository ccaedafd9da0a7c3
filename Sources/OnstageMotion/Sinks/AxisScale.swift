/// What a sample's numbers are multiplied by, in the form in which it is done for each.
@usableFromInline
struct AxisScale {
    @usableFromInline let offset: SIMD3<Double>
    @usableFromInline let scale: SIMD3<Double>
    /// The mount matrix changes something.
    @usableFromInline let isTurned: Bool
    // Each makes one axis of the machine.
    @usableFromInline let x: SIMD3<Double>
    @usableFromInline let y: SIMD3<Double>
    @usableFromInline let z: SIMD3<Double>

    init(_ scale: SensorScale) {
        offset = scale.offset
        self.scale = scale.scale
        isTurned = scale.mount != .identity
        (x, y, z) = scale.mount.rows
    }

    /// In the sensor's own axes.
    @inlinable
    @inline(__always)
    func unmounted(_ raw: SIMD3<Int64>) -> SIMD3<Double> {
        (SIMD3<Double>(Double(raw.x), Double(raw.y), Double(raw.z)) + offset) * scale
    }

    /// From the sensor's own axes to the machine's.
    @inlinable
    @inline(__always)
    func mounted(_ unmounted: SIMD3<Double>) -> SIMD3<Double> {
        guard isTurned else { return unmounted }
        return SIMD3((x * unmounted).sum(), (y * unmounted).sum(), (z * unmounted).sum())
    }
}
