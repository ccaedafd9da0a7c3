/// How a playback pause finds the frame to go on from.
public enum PauseMode: String, Hashable, Sendable {
    /// Silence behind the last frame that is heard, stop inside it: right by construction.
    case exact
    /// Stop at once and believe the driver's pointer.
    case fast
}

/// What a device family tells about one release.
public struct ReleaseDetail: Hashable, Sendable {
    /// When the kernel had the last descriptor back.
    public var released: MonotonicTime?
    /// The last sequence number delivered (camera, motion), if any.
    public var lastSequence: UInt64?
    /// Playback: the source frame that is played first on the next resume.
    public var position: Int64?
    /// Playback: how the position was found.
    public var mode: PauseMode?
    /// Playback: by how many frames the position may be wrong at most.
    public var bound: Int64?
    /// Playback: by how many frames it is known to be off; 0 unless the splice was missed.
    public var off: Int64?

    public init(
        released: MonotonicTime?, lastSequence: UInt64? = nil, position: Int64? = nil, mode: PauseMode? = nil,
        bound: Int64? = nil, off: Int64? = nil
    ) {
        self.released = released
        self.lastSequence = lastSequence
        self.position = position
        self.mode = mode
        self.bound = bound
        self.off = off
    }
}

/// The answer to one pause that a resource was asked to make.
public struct ReleaseReceipt: Hashable, Sendable {
    /// The resource's name ("camera", "accelerometer", "gyroscope", "playback").
    public var resource: String
    /// The scene it was bound to.
    public var scene: String
    /// The device it had, or waited for, as its identity says.
    public var device: String?
    /// When the pause was asked for.
    public var asked: MonotonicTime
    /// When the kernel had the last descriptor back; `asked` if none was open; nil if the kernel still holds it.
    public var released: MonotonicTime?
    /// Whether the watchdog had to force it.
    public var forced: Bool
    /// Whether the device's thread is stuck in the kernel: not released.
    public var stuck: Bool
    public var detail: ReleaseDetail
    /// Why it was asked to pause: what was in the set right after the wish.
    public var reasons: PauseReasons

    public init(
        resource: String, scene: String, device: String?, asked: MonotonicTime, released: MonotonicTime?, forced: Bool,
        stuck: Bool, detail: ReleaseDetail, reasons: PauseReasons
    ) {
        self.resource = resource
        self.scene = scene
        self.device = device
        self.asked = asked
        self.released = released
        self.forced = forced
        self.stuck = stuck
        self.detail = detail
        self.reasons = reasons
    }
}
