internal import OnstageCore

/// What an errno means on a video node, where it is not what the common table says.
enum CaptureFault {
    static func error(_ errno: Int32, operation: String, node: String) -> DeviceError {
        var error = DeviceError(errno: errno, operation: operation, device: node)
        switch (errno, operation) {
        case (Errno.EBUSY, _):
            error.advice = "stop it, or wait: it is tried again when it lets go"
        case (Errno.ENOSPC, _):
            error.reason = "the USB bus has no bandwidth left for it"
            error.advice = "use MJPG, a smaller size or rate, or another USB bus"
        case (Errno.EPIPE, VideoCall.streamOn.rawValue):
            error.kind = .configuration
            error.reason = "the links or formats of its media pipeline are not set"
        case (Errno.EINVAL, VideoCall.streamOn.rawValue), (Errno.EINVAL, VideoCall.queue.rawValue),
            (Errno.EINVAL, VideoCall.requestBuffers.rawValue), (Errno.EINVAL, VideoCall.dequeue.rawValue):
            // The format was agreed on: a refusal now is the driver's trouble and may pass.
            error.kind = .inputOutput
            error.reason = "the driver refuses what it had agreed to"
            error.advice = "it is tried again"
        case (Errno.EACCES, "open"), (Errno.EPERM, "open"):
            error.advice = "add the user to the group video"
        case (Errno.ENOTTY, _) where operation != "open":
            // What a node that was plugged out and in again answers to old descriptors.
            error.kind = .absent
        default: break
        }
        return error
    }
}
