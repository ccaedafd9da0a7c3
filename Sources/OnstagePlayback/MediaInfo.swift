/// What is known of a sound before it is played.
public struct MediaInfo: Hashable, Sendable {
    /// The file as it was named, or "built-in sound".
    public var name: String
    /// Source frames per second.
    public var rate: Int
    public var channels: Int
    /// Which of its channels is which.
    package var layout: ChannelLayout
    /// How it is stored, in ALSA's words where it has one ("S16_LE", "U8", "S24_3LE", "FLOAT_LE"), else the codec's name.
    public var format: String
    /// Source frames of one pass. 0 for an empty sound, and where ``hasLength`` is false.
    public var frames: Int64
    /// Whether it is known how long it is; false for a pipe, or what an app makes as it goes.
    public var hasLength: Bool
    /// Whether it can be gone on with from any frame.
    public var isSeekable: Bool
    /// What is odd about it and does not keep it from being played, one line each ("truncated: …").
    public var oddities: [String]

    public init(
        name: String, rate: Int, channels: Int, format: String, frames: Int64, hasLength: Bool = true,
        isSeekable: Bool = true,
        oddities: [String] = []
    ) {
        self.name = name
        self.rate = rate
        self.channels = channels
        layout = .media(channels)
        self.format = format
        self.frames = frames
        self.hasLength = hasLength
        self.isSeekable = isSeekable
        self.oddities = oddities
    }

    /// Source frames of one pass; nil where they are not known.
    package var knownFrames: Int64? { hasLength ? frames : nil }

    /// The length of one pass; zero where it is not known.
    public var duration: Duration {
        guard rate > 0 else { return .zero }
        return .seconds(frames / Int64(rate)) + .nanoseconds(frames % Int64(rate) * 1_000_000_000 / Int64(rate))
    }
}
