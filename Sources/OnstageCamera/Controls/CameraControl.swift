/// One control of a camera, as its driver describes it ("brightness", "exposure_time_absolute").
public struct CameraControl: Hashable, Sendable {
    /// What its value is.
    public enum Kind: String, Hashable, Sendable {
        case integer
        case flag
        /// One of ``items``, by name.
        case menu
        /// One of ``items``, whose names are numbers.
        case integerMenu
        /// Does something when it is set; has no value.
        case button
        case bitmask
        case text
        /// An array or a structure: listed, and left alone.
        case compound
    }

    /// An entry of a menu. A menu may have gaps.
    public struct Item: Hashable, Sendable {
        public var index: Int64
        public var name: String

        package init(index: Int64, name: String) {
            self.index = index
            self.name = name
        }
    }

    /// The kernel's number of it. *C: `V4L2_CID_BRIGHTNESS` …*
    public var id: UInt32
    /// How it is set: the driver's title in lower case with underscores, as v4l2-ctl writes it.
    public var name: String
    /// For people.
    public var title: String
    public var kind: Kind
    /// The smallest value; for a text its shortest length.
    public var minimum: Int64
    /// The largest value; for a text its greatest length.
    public var maximum: Int64
    /// From one possible value to the next.
    public var step: Int64
    public var defaultValue: Int64
    public var items: [Item] = []
    /// What it is set to now; nil for what has none or may not be read.
    public var value: ControlValue?
    public var isReadOnly: Bool
    /// Another control decides, as long as that one is set to automatic.
    public var isInactive: Bool
    /// It cannot be set now, while the camera streams.
    public var isGrabbed: Bool
    /// The device changes it by itself.
    public var isVolatile: Bool
    /// Setting it may change others.
    public var changesOthers: Bool
    /// The control that decides about this one while it is automatic, if the camera has it.
    public var automatic: String?
    /// A 64-bit number to the kernel.
    var isWide = false
    var isReadable = true

    package init(
        id: UInt32, name: String, title: String, kind: Kind, minimum: Int64, maximum: Int64, step: Int64 = 1,
        defaultValue: Int64, isReadOnly: Bool = false, isInactive: Bool = false, isGrabbed: Bool = false,
        isVolatile: Bool = false, changesOthers: Bool = false
    ) {
        self.id = id
        self.name = name
        self.title = title
        self.kind = kind
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
        self.defaultValue = defaultValue
        self.isReadOnly = isReadOnly
        self.isInactive = isInactive
        self.isGrabbed = isGrabbed
        self.isVolatile = isVolatile
        self.changesOthers = changesOthers
    }
}
