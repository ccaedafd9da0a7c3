package import OnstageCore

/// The ways to a motion sensor, in the order in which they are tried.
package enum MotionDrivers {
    package struct Entry: Sendable {
        package let name: String
        package let isSynthetic: Bool
        /// Whether this machine has such a device now.
        package let isPresent: @Sendable (MotionKind, IIOTree) -> Bool
        package let make:
            @Sendable (MotionConfiguration, MotionSinks, IIOTree, @escaping DriverReporter) -> any DeviceDriver
    }

    package static let table: [Entry] = [
        Entry(
            name: "iio", isSynthetic: false, isPresent: { kind, tree in !tree.sensors(kind).isEmpty },
            make: { configuration, sinks, tree, report in
                MotionDriver(configuration: configuration, sinks: sinks, tree: tree, report: report)
            }),
        Entry(
            name: "synthetic", isSynthetic: true, isPresent: { _, _ in true },
            make: { configuration, sinks, _, report in
                SyntheticMotionDriver(configuration: configuration, sinks: sinks, report: report)
            }),
    ]
}
