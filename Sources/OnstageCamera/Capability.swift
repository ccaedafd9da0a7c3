internal import CV4L2

/// What a node says of itself (VIDIOC_QUERYCAP).
struct Capability: Hashable {
    var driver: String
    var card: String
    var busInfo: String
    /// What this node can do, not the whole device.
    var node: UInt32

    /// Asks; nil leaves the errno in `fault`.
    init?(_ kernel: any VideoKernel, _ descriptor: Int32, fault: inout Int32) {
        var raw = v4l2_capability()
        let answer = kernel.call(descriptor, .queryCapability, &raw)
        guard answer >= 0 else {
            fault = -answer
            return nil
        }
        driver = String(fixed: raw.driver)
        card = String(fixed: raw.card)
        busInfo = String(fixed: raw.bus_info)
        node = raw.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? raw.device_caps : raw.capabilities
    }

    private func has(_ flag: some BinaryInteger) -> Bool { node & UInt32(truncatingIfNeeded: flag) != 0 }

    var isMultiPlanar: Bool { !has(V4L2_CAP_VIDEO_CAPTURE) && has(V4L2_CAP_VIDEO_CAPTURE_MPLANE) }
    var isCapture: Bool { has(V4L2_CAP_VIDEO_CAPTURE) || has(V4L2_CAP_VIDEO_CAPTURE_MPLANE) }
    var canStream: Bool { has(V4L2_CAP_STREAMING) }
    var isMetadata: Bool { has(V4L2_CAP_META_CAPTURE) || has(V4L2_CAP_META_OUTPUT) }
    var isCodec: Bool { has(V4L2_CAP_VIDEO_M2M) || has(V4L2_CAP_VIDEO_M2M_MPLANE) }
    var isOutput: Bool { has(V4L2_CAP_VIDEO_OUTPUT) || has(V4L2_CAP_VIDEO_OUTPUT_MPLANE) }
    /// Its inputs are set through a media controller (V4L2_CAP_IO_MC).
    var needsPipeline: Bool { has(V4L2_CAP_IO_MC) }
    /// A node that changes with whoever feeds it.
    var isLoopback: Bool { driver == "v4l2 loopback" }
}
