/// How the parts behind a media controller are put together to make a camera: a sensor, its links and the formats at its
/// pads, in media-ctl's notation.
///
///     let pipeline = try MediaPipeline(
///         links: [#""Sensor A":0 -> "Debayer A":0 [1]"#],
///         formats: [#""Sensor A":0 [fmt:SBGGR8_1X8/640x480]"#])
///
/// Set at each acquire, links first, each in the order given, before the camera's own format is. Links that had to be changed
/// are as they were before after the release; formats stay, as those of a camera's node do.
///
/// Links are for the whole machine. Those that several cameras share, as two nodes of one image processor share the sensor's,
/// belong to whoever boots the system: where each camera's profile turned them on and off again, a release of one would stop
/// the other from starting. It is then told as `inUse`, and tried again.
public struct MediaPipeline: Hashable, Sendable {
    /// What is addressed by a name in quotes, or by its number.
    public enum Entity: Hashable, Sendable, CustomStringConvertible {
        case name(String)
        case number(UInt32)

        public var description: String {
            switch self {
            case .name(let name): "\"\(name)\""
            case .number(let number): "\(number)"
            }
        }
    }

    /// One connection of an entity.
    public struct Pad: Hashable, Sendable, CustomStringConvertible {
        public var entity: Entity
        public var index: UInt16

        public var description: String { "\(entity):\(index)" }
    }

    /// A link that is to be on, or off.
    public struct Link: Hashable, Sendable, CustomStringConvertible {
        public var source: Pad
        public var sink: Pad
        public var isEnabled: Bool

        public var description: String { "\(source) -> \(sink) [\(isEnabled ? 1 : 0)]" }
    }

    /// What is to be set at a pad.
    public struct PadSetting: Hashable, Sendable {
        /// Whose.
        public var pad: Pad
        /// Nil leaves it as it is.
        public var format: BusFormat?
        /// Of what comes in, what is used.
        public var crop: Rectangle?
        /// Where in what goes out it is put.
        public var compose: Rectangle?
        /// Seconds from frame to frame, as a fraction.
        public var interval: Interval?
    }

    /// What goes over a link.
    public struct BusFormat: Hashable, Sendable {
        /// The kernel's number (`MEDIA_BUS_FMT_…`).
        public var code: UInt32
        /// In pixels.
        public var width: UInt32
        /// In pixels.
        public var height: UInt32
        /// The kernel's number (`V4L2_FIELD_…`); nil is whole frames (`V4L2_FIELD_NONE`).
        public var field: UInt32?
        /// The kernel's number, as those below; 0 leaves it to the driver.
        public var colorspace: UInt32 = 0
        public var transfer: UInt16 = 0
        public var encoding: UInt16 = 0
        public var quantization: UInt16 = 0
    }

    /// In pixels.
    public struct Rectangle: Hashable, Sendable {
        public var left: Int32
        public var top: Int32
        public var width: UInt32
        public var height: UInt32
    }

    /// The time from frame to frame, in seconds: 1/30.
    public struct Interval: Hashable, Sendable {
        public var numerator: UInt32
        public var denominator: UInt32
    }

    /// The media device: its bus info ("platform:vimc"), model, driver, serial number or node ("/dev/media0"); nil for the one
    /// that the camera's node belongs to.
    public var device: String?
    /// In the order in which they are set.
    public var links: [Link]
    /// In the order in which they are set, after all links.
    public var formats: [PadSetting]

    package init(device: String? = nil, links: [Link] = [], formats: [PadSetting] = []) {
        self.device = device
        self.links = links
        self.formats = formats
    }

    /// Reads media-ctl's notation.
    ///
    /// - Parameters:
    ///   - links: `"entity":pad -> "entity":pad [1]`; 0 for off; several with commas between.
    ///   - formats: `"entity":pad [fmt:CODE/640x480 field:none]`, with `crop:(0,0)/640x480`, `compose:…` and `@1/30` where
    ///     wanted; several with commas between.
    /// - Throws: what is wrong with one of them, and where.
    public init(device: String? = nil, links: [String], formats: [String] = []) throws(MediaNotationError) {
        self.init(device: device)
        for text in links { self.links += try Self.links(text) }
        for text in formats { self.formats += try Self.formats(text) }
    }

    /// The links of one text.
    package static func links(_ text: String) throws(MediaNotationError) -> [Link] {
        var reader = MediaNotation(text)
        return try reader.list { reader throws(MediaNotationError) in try reader.link() }
    }

    /// The settings of one text.
    package static func formats(_ text: String) throws(MediaNotationError) -> [PadSetting] {
        var reader = MediaNotation(text)
        return try reader.list { reader throws(MediaNotationError) in try reader.setting() }
    }
}
