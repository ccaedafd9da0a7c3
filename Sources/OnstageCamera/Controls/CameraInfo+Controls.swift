public import OnstageCore

extension CameraInfo {
    /// What can be set on the camera, and what it is set to now; also while somebody streams from it.
    ///
    /// - Throws: what opening the node says.
    /// *Runs on:* a thread that may wait for a device.
    public func controls() throws(DeviceError) -> [CameraControl] {
        try OpenNode(self).controls()
    }

    /// Sets controls now, automatics first; answers what could not be done, one line each, in words.
    ///
    /// Nothing remembers it: to have controls put back at each acquire set them on a `Camera`.
    /// - Throws: what opening the node says; `absent` when it is pulled.
    /// *Runs on:* a thread that may wait for a device.
    public func set(_ settings: [ControlSetting]) throws(DeviceError) -> [String] {
        try OpenNode(self).set(settings)
    }

    /// What pictures the camera can give.
    /// - Throws: what opening the node says.
    /// *Runs on:* a thread that may wait for a device.
    public func formats() throws(DeviceError) -> [CameraFormat] {
        try OpenNode(self).formats()
    }
}

/// A node that is open for a look.
private struct OpenNode: ~Copyable {
    private let kernel = RawKernel()
    private let descriptor: Int32
    private let node: String
    private let isMultiPlanar: Bool

    init(_ info: CameraInfo) throws(DeviceError) {
        let answer = kernel.open(info.node)
        guard answer >= 0 else { throw CaptureFault.error(-answer, operation: "open", node: info.node) }
        var fault: Int32 = 0
        guard let capability = Capability(kernel, answer, fault: &fault) else {
            kernel.close(answer)
            throw CaptureFault.error(fault, operation: VideoCall.queryCapability.rawValue, node: info.node)
        }
        descriptor = answer
        node = info.node
        isMultiPlanar = capability.isMultiPlanar
    }

    deinit { kernel.close(descriptor) }

    func controls() -> [CameraControl] { CameraControl.all(kernel, descriptor) }

    func set(_ settings: [ControlSetting]) throws(DeviceError) -> [String] {
        var desk = ControlDesk(kernel, descriptor, node: node)
        return try desk.set(settings)
    }

    func formats() -> [CameraFormat] { CameraFormat.all(kernel, descriptor, isMultiPlanar: isMultiPlanar) }
}
