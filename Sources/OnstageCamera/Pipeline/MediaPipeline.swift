/// How the parts behind a media controller are put together to make a camera: a sensor, its links and the formats at its
/// pads, in media-ctl's notation.
///
///     let pipeline = try MediaPipeline(
///         links: [#""Sensor A":0 -> "Debayer A":0 [1]"#],
///         formats: [#""Sensor A":0 [fmt:SBGGR8_1X8/640x480]"#])
///
/// Set at each acquire, links first, each in the order given, before the camera's own format is. Links that had to be changed
/// are as they were before after the release; formats stay, as those of a camera's node do.
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
        public var pad: Pad
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
        /// The kernel's numbers; 0 or nil leaves it to the driver.
        public var field: UInt32?
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

    public struct Interval: Hashable, Sendable {
        public var numerator: UInt32
        public var denominator: UInt32
    }

    /// The media device: its bus info ("platform:vimc"), model, driver, serial number or node ("/dev/media0"); nil for the one
    /// that the camera's node belongs to.
    public var device: String?
    public var links: [Link]
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

/// What is wrong with a text in media-ctl's notation.
public struct MediaNotationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which character, counted from 1.
    public var position: Int
    public var message: String

    public var description: String { "at character \(position): \(message)" }
}
