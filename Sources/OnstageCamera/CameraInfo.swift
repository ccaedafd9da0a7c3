/// One video node, as `onstage devices` lists it. Made without keeping anything open.
public struct CameraInfo: Hashable, Sendable {
    /// The name to bind it by: the same after a replug or a reboot.
    public var identity: String
    /// The node that it has now ("/dev/video0").
    public var node: String
    /// The card's name, as the driver says.
    public var name: String
    public var driver: String
    /// Where it is plugged in, as the driver says ("usb-0000:00:14.0-1").
    public var busInfo: String
    /// Whether it can be used as a camera now.
    public var supported: Bool
    /// Why not.
    public var reason: String?
    /// Every form in which it can be named.
    public var identities: [String]
    /// Whether it may become a camera by itself (a loopback node without a producer): worth waiting for.
    public var isWaiting: Bool
    /// Not a camera at all (metadata, output, codec): listed only when all nodes are asked for.
    public var isOther: Bool
    /// The USB serial number, if there is one.
    public var serial: String?
    /// Whether it is a camera behind a media controller: it can be used with a ``MediaPipeline``.
    public var needsPipeline: Bool

    package init(
        identity: String, node: String, name: String, driver: String, busInfo: String, supported: Bool,
        reason: String? = nil, identities: [String] = [], isWaiting: Bool = false, isOther: Bool = false,
        serial: String? = nil, needsPipeline: Bool = false
    ) {
        self.identity = identity
        self.node = node
        self.name = name
        self.driver = driver
        self.busInfo = busInfo
        self.supported = supported
        self.reason = reason
        self.identities = identities
        self.isWaiting = isWaiting
        self.isOther = isOther
        self.serial = serial
        self.needsPipeline = needsPipeline
    }
}
