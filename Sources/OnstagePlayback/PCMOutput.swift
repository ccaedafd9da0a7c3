package import OnstageCore

/// What is asked of an output.
package struct OutputRequest: Hashable, Sendable {
    package var rate: Int
    /// Those of the media. An output that lacks them is opened with others, and says so in its facts.
    package var channels: Int
    /// What the sound can be given as without losing a bit, the best first.
    package var formats: [SampleFormat]
    package var configuration: PlaybackConfiguration
}

/// What an output is really set to, read back.
package struct OutputFacts: Hashable, Sendable {
    /// The PCM that was opened.
    package var name: String
    package var format: SampleFormat
    package var rate: Int
    package var channels: Int
    /// Which of them is which; nil where that is nobody's business: then what has as many channels is taken as it comes.
    package var layout: ChannelLayout?
    package var periodFrames: Int
    package var bufferFrames: Int
    /// A plain `hw:` device: it may be rewound, and its descriptor is the device's own. Everything else is "through plug-ins":
    /// there nothing is ever rewound (they say they did and did not).
    package var isPlain: Bool
    /// It goes into a mixer (dmix), whose card never stops: it starts in the middle of what the card plays, and what comes
    /// late is left out.
    package var isMixed = false
    /// The pointer moves in batches, or runs ahead of what is heard by what is under way to the card (USB transfers).
    package var isBatch: Bool
    /// By how many frames the pointer may move at once, or lie behind what the card has already fetched.
    package var stepFrames = 0
    /// The frames that may lie behind the pointer.
    package var guardFrames: Int
    package var guardOrigin = GuardOrigin.usual
    /// What is learned of its card is kept under; nil where nothing can be.
    package var guardKey: GuardKey?
    /// A write is one call of the kernel's with the samples where they lie: nobody else reads them.
    package var isLent = false
    /// ``PCMOutput/hold()`` works.
    package var canHold = false
    /// By how many source frames a position may be wrong because of a rate converter on the way.
    package var converterBound: Int = 0
    /// The card that it ends at and the device of it, where that is one; for its jacks.
    package var card: Int?
    package var device = 0
    /// What was not had as asked, one line each.
    package var notes: [String] = []
    /// More to show in the report's `format`.
    package var more: [(name: String, value: FormatValue)] = []

    /// How the media's channels become the output's.
    func matrix(for media: MediaInfo) -> ChannelMatrix {
        if let layout { return ChannelMatrix(from: media.layout, to: layout) }
        let isSame = media.channels == channels
        return isSame
            ? ChannelMatrix(from: .unknown(channels), to: .unknown(channels))
            : ChannelMatrix(from: media.layout, to: .device(channels))
    }

    /// When the stream breaks off (an XRUN, a pulled card, a system sleep) what is under way to the card is never heard. A
    /// mixer's card plays on.
    package var losesUnderWay: Bool { isBatch && !isMixed }

    package static func == (a: OutputFacts, b: OutputFacts) -> Bool {
        a.name == b.name && a.format == b.format && a.rate == b.rate && a.channels == b.channels && a.layout == b.layout
            && a.periodFrames == b.periodFrames && a.bufferFrames == b.bufferFrames && a.isPlain == b.isPlain
            && a.isBatch == b.isBatch && a.guardFrames == b.guardFrames && a.notes == b.notes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

/// ALSA's states of a PCM.
package enum PCMState: Int32, Hashable, Sendable {
    case open = 0
    case setup
    case prepared
    case running
    case xrun
    case draining
    case paused
    case suspended
    case disconnected
}

/// State, delay and room of a PCM, read together.
package struct PCMStatus: Hashable, Sendable {
    package var state: PCMState
    /// Frames until a frame written now would be heard. Drivers have said −3 and 2⁶² here.
    package var delay: Int64
    /// Frames that can be written.
    package var available: Int64
    /// When a plain device was last started, or stopped by itself; nil when it is not told.
    package var triggered: MonotonicTime?

    package init(state: PCMState, delay: Int64, available: Int64, triggered: MonotonicTime? = nil) {
        self.triggered = triggered
        self.state = state
        self.delay = delay
        self.available = available
    }
}

/// A stream of sound that is open: ALSA's, the paced sink, or a test's with faults.
///
/// Numbers below zero are minus errno, as ALSA gives them. *Runs on:* the device's thread.
package protocol PCMOutput: AnyObject {
    /// What it is set to; the guard is raised by what its pointer shows.
    var facts: OutputFacts { get set }

    /// Frames that can be written, or −EPIPE, −ESTRPIPE, −ENODEV … Cheaper than ``status()``.
    func available() -> Int

    /// Everything at once, with the pointer as fresh as can be; nil with the errno when there is none.
    func status() -> Result<PCMStatus, PCMFault>

    /// Writes without waiting; answers how many frames were taken.
    func write(_ samples: UnsafeRawPointer, frames: Int) -> Int

    /// The frames in flight when the last write was handed over, by the pointer that this write itself went by.
    ///
    /// Not looked at anew: a mixer (dmix) leaves out in silence what comes after its pointer has passed the place, and says
    /// that it was taken. Fewer than were written: it came too late, and nothing of it will be heard.
    func fillAtWrite() -> Int

    /// Takes back what was written last; answers how many frames.
    func rewind(_ frames: Int) -> Int

    /// Stops the stream where it stands, without a turn between the look at its pointer and the stop; answers the frames
    /// that were still to be heard, −ENOSYS where the device cannot do that.
    func hold() -> Int

    func prepareStream() -> Int32
    func start() -> Int32
    func drop() -> Int32
    func close()

    /// Names what to wait for until a period can be written.
    func prepare(_ wait: inout WaitSet, now: MonotonicTime)

    /// Whether what ``prepare(_:now:)`` names is the same each time.
    var keepsWait: Bool { get }

    /// Whether the wait ended because of this output.
    func isReady(_ wait: borrowing WaitSet) -> Bool

    /// The device's own descriptor, if there is one, for the watchdog.
    var deviceDescriptor: Int32? { get }

    /// Something to tell once (a recording that ended), taken.
    func takeTrouble() -> DeviceError?
}

/// An errno (positive) that a status gave.
package struct PCMFault: Error, Hashable, Sendable {
    package var errno: Int32
    package init(errno: Int32) {
        self.errno = errno
    }
}
