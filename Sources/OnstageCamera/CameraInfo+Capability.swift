extension CameraInfo {
    func matches(_ capability: Capability) -> Bool {
        driver == capability.driver && name == capability.card && busInfo == capability.busInfo
    }

    /// Whether a node is a camera, by what it can do itself (`device_caps`).
    mutating func judge(_ capability: Capability, hasFormats: Bool) {
        if capability.isCodec {
            (isOther, reason) = (true, "not a camera (codec)")
        } else if capability.isCapture && !capability.canStream {
            reason = "it cannot stream"
        } else if capability.isCapture && (capability.needsPipeline || !hasFormats) {
            (needsPipeline, reason) = (true, "needs a media pipeline")
        } else if capability.isCapture {
            supported = true
        } else if capability.isLoopback {
            (isWaiting, reason) = (true, "present, but nothing is fed into it now")
        } else if capability.isMetadata {
            (isOther, reason) = (true, "not a capture node (metadata)")
        } else if capability.isOutput {
            (isOther, reason) = (true, "not a capture node (output)")
        } else {
            (isOther, reason) = (true, "not a capture node")
        }
    }

    /// As it is for whoever brings its pipeline.
    var withPipeline: CameraInfo {
        guard needsPipeline else { return self }
        var info = self
        (info.supported, info.reason) = (true, nil)
        return info
    }
}
