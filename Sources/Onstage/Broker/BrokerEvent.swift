public import OnstageCore

/// Something that happened in a broker; see ``Broker/events``.
@nonexhaustive
public enum BrokerEvent: Sendable {
    /// A scene's phase has moved along one arrow.
    case sceneMoved(scene: String, from: LifecycleState, to: LifecycleState, at: MonotonicTime)
    /// The app's phase has moved along one arrow.
    case appMoved(from: LifecycleState, to: LifecycleState, at: MonotonicTime)
    /// A wish was refused and changed nothing.
    case refused(scene: String, wish: String, error: LifecycleError, at: MonotonicTime)
    /// An interruption began or ended.
    case interrupted(scene: String, reason: String, kind: ResourceKind?, at: MonotonicTime)
    case interruptionEnded(scene: String, reason: String, shouldResume: Bool, at: MonotonicTime)
    /// A resource was bound to a scene, or no longer is.
    case bound(ResourceName, at: MonotonicTime)
    case unbound(ResourceName, at: MonotonicTime)
    /// A resource's state or its error has changed.
    case resourceChanged(ResourceName, ResourceState, DeviceError?, at: MonotonicTime)
    /// A resource's device is open and started; `asked` is when it was wanted.
    case acquired(ResourceName, device: ResolvedDevice, format: ReportedFormat, asked: MonotonicTime, at: MonotonicTime)
    /// The first frame, sample or sound after an acquire.
    case first(ResourceName, at: MonotonicTime)
    /// One pause has been answered.
    case released(ReleaseReceipt)
    /// The position of a receipt is on the disk.
    case stored(ResourceName, position: Int64, asked: MonotonicTime, at: MonotonicTime)
    /// A fault that was mended without giving the device back (a stall, an xrun).
    case recovered(ResourceName, DeviceError, at: MonotonicTime)
    /// Something worth knowing that changes nothing ("rate 48000 instead of 44100").
    case note(ResourceName, String, at: MonotonicTime)
    /// The end of the media has been heard.
    case ended(ResourceName, at: MonotonicTime)
}

/// Which resource an event speaks of.
public struct ResourceName: Hashable, Sendable {
    /// The resource's own name ("camera").
    public var resource: String
    /// The scene that it is bound to.
    public var scene: String

    public init(resource: String, scene: String) {
        self.resource = resource
        self.scene = scene
    }
}

/// What is really set on a device, in the order to show it.
public struct ReportedFormat: Sendable {
    public var entries: [(name: String, value: FormatValue)]

    public init(_ entries: [(name: String, value: FormatValue)]) {
        self.entries = entries
    }
}
