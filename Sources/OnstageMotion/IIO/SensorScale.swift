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
        func values(_ what: String, _ missing: Double) -> (values: SIMD3<Double>, isComplete: Bool) {
            var values = SIMD3(repeating: missing)
            var isComplete = true
            var common: Double??
            for (index, axis) in ["x", "y", "z"].enumerated() {
                if let own = tree.number("\(sensor.folder)/\(sensor.prefix)_\(axis)_\(what)") {
                    values[index] = own
                    continue
                }
                let shared =
                    common ?? tree.number("\(sensor.folder)/\(sensor.prefix)_\(what)")
                    ?? tree.number("\(sensor.folder)/in_\(what)")
                common = .some(shared)
                if let shared { values[index] = shared } else { isComplete = false }
            }
            return (values, isComplete)
        }
        let offset = values("offset", 0).values
        let scale = values("scale", 1)
        let own = ["\(sensor.prefix)_mount_matrix", "in_mount_matrix", "mount_matrix"].lazy
            .compactMap { tree.attribute("\(sensor.folder)/\($0)") }.compactMap { MountMatrix($0) }.first
        self.init(
            offset: offset, scale: scale.values, mount: mount ?? own ?? .identity, isGuessed: !scale.isComplete)
    }
}
