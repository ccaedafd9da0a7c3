package import OnstageCore

/// The kinds of camera there are, in the order in which they are tried.
package enum CameraDriverKind: String, CaseIterable, Sendable {
    case v4l2
    case synthetic

    /// Makes a driver for one resource. *Runs on:* the device's thread.
    package func make(
        _ configuration: CameraConfiguration, _ sinks: FrameSinks, _ controls: ControlSettings,
        _ report: @escaping DriverReporter
    ) -> any DeviceDriver {
        switch self {
        case .v4l2: CameraDriver(configuration: configuration, sinks: sinks, controls: controls, report: report)
        case .synthetic: SyntheticCameraDriver(configuration: configuration, sinks: sinks, report: report)
        }
    }
}
