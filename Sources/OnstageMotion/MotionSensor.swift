package import OnstageCore
internal import OnstageLinux

/// A motion sensor as it is listed; looking changes nothing on the device.
package struct MotionSensor: Hashable, Sendable {
    package var kind: MotionKind
    /// Stays the same when it is plugged in again.
    package var identity: String
    package var node: String
    /// The name of its driver.
    package var name: String?
    package var label: String?
    package var location: String?
    /// Where it is attached.
    package var path: String
    /// Has no buffer: it is read one sample at a time.
    package var isPolled: Bool
    /// The rate that is set now, in Hz.
    package var rate: Double?
    /// Who has the node open; a process of another user shows only where /proc lets it.
    package var holders: [DeviceHolder]

    /// All sensors of this machine: accelerometers, then gyroscopes, each by the kernel's number.
    package static func all(in tree: IIOTree = .system) -> [MotionSensor] {
        let found = MotionKind.allCases.flatMap { tree.sensors($0) }
        let holders = DeviceHolders.of(nodes: found.map(\.node))
        return zip(found, holders).map { sensor, holders in
            var rate = SensorRate(sensor, trigger: nil, tree: tree)
            return MotionSensor(
                kind: sensor.kind, identity: sensor.identity, node: sensor.node, name: sensor.name, label: sensor.label,
                location: sensor.location, path: sensor.realPath, isPolled: !sensor.hasBuffer,
                rate: rate.read(), holders: holders)
        }
    }
}
