internal import OnstageCore

/// What turns a sensor's numbers into m/s² or rad/s: `mount × ((raw + offset) × scale)`.
package struct SensorScale: Hashable, Sendable {
    package var offset: SIMD3<Double>
    package var scale: SIMD3<Double>
    package var mount: MountMatrix
    /// No attribute named a scale: 1 was taken.
    package var isGuessed: Bool

    package init(offset: SIMD3<Double>, scale: SIMD3<Double>, mount: MountMatrix, isGuessed: Bool = false) {
        self.offset = offset
        self.scale = scale
        self.mount = mount
        self.isGuessed = isGuessed
    }

    /// Reads it from the device: of the axis, else of the kind, else of all channels; a missing offset is 0.
    ///
    /// - Parameter mount: in place of the device's own mount matrix.
    package init(_ sensor: IIOSensor, mount: MountMatrix?, tree: IIOTree) {
        func value(_ axis: String, _ what: String) -> Double? {
            tree.number("\(sensor.folder)/\(sensor.prefix)_\(axis)_\(what)")
                ?? tree.number("\(sensor.folder)/\(sensor.prefix)_\(what)")
                ?? tree.number("\(sensor.folder)/in_\(what)")
        }
        var offset = SIMD3<Double>.zero
        var scale = SIMD3<Double>(repeating: 1)
        var isGuessed = false
        for (index, axis) in ["x", "y", "z"].enumerated() {
            offset[index] = value(axis, "offset") ?? 0
            if let found = value(axis, "scale") { scale[index] = found } else { isGuessed = true }
        }
        let own = ["\(sensor.prefix)_mount_matrix", "in_mount_matrix", "mount_matrix"].lazy
            .compactMap { tree.attribute("\(sensor.folder)/\($0)") }.compactMap { MountMatrix($0) }.first
        self.init(offset: offset, scale: scale, mount: mount ?? own ?? .identity, isGuessed: isGuessed)
    }

    /// In the sensor's own axes.
    @inline(__always)
    package func unmounted(_ raw: SIMD3<Int64>) -> SIMD3<Double> {
        (SIMD3<Double>(raw) + offset) * scale
    }
}
