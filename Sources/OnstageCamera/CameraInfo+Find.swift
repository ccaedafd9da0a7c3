public import OnstageCore

extension CameraInfo {
    /// All cameras of this machine. Nothing stays open.
    ///
    /// - Parameter includesOther: nodes that are no cameras (metadata, output, codecs) too.
    /// *Runs on:* a thread that may wait for a device: every node is opened once, which may wake a sleeping camera.
    public static func all(includesOther: Bool = false) -> [CameraInfo] {
        CameraFinder().all(includingOther: includesOther)
    }

    /// The one camera that `selector` means.
    /// - Throws: `absent` when it is not there, or is no camera yet; `configuration` when several fit or it is something
    ///   else; `permission` when it may not be opened.
    /// *Runs on:* a thread that may wait for a device.
    public static func find(_ selector: CameraSelector) throws(DeviceError) -> CameraInfo {
        try CameraFinder().resolve(selector)
    }
}
