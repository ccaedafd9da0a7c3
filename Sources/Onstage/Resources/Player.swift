public import OnstageCore
internal import OnstageLinux
public import OnstagePlayback
internal import OnstageStore
internal import Synchronization

/// Plays one sound while its scene is on stage, and goes on at the very next frame.
///
/// Positions are source frames, exact over any number of pauses; with ``Positions`` also over the end of the process.
///
///     let player = try Player(media: "song.flac", positions: positions)
///     player.playWhenReady = true
///     try scene.bind(player)
public final class Player: Resource {
    /// How a sound is played.
    public struct Options: Hashable, Sendable {
        /// The PCM as ALSA names it, or nil for no device: a sink paced by the clock.
        public var output: String? = "default"
        /// Without a device: where a WAV of what was heard goes.
        public var recording: String?
        /// How much sound the device is given ahead, 20 ms…2 s.
        public var bufferTime = Duration.milliseconds(100)
        public var pauseMode = PauseMode.exact
        /// How much lies behind the device's pointer; nil for what is known of its driver.
        public var guardTime: Duration?
        public var isLooped = false
        /// Where it stands when its last frame has been heard, and what is kept of that.
        public var atEnd = EndPolicy.rewind
        /// 0…1; at 1 the samples are handed on bit by bit.
        public var volume = 1.0
        /// How long the sound takes to fade away at a pause, and to come back where it goes on: 0…50 ms. Each frame is heard
        /// once all the same, those of a fade softly; the last of them is heard as much later. Hurried and fast pauses cut.
        public var fade = Duration.zero
        /// Whether its thread goes before ordinary programs.
        public var realtime = RealtimePolicy.auto
        /// How much of a file is kept read and decoded ahead of the sound, 0.1…10 s.
        public var readAhead = Duration.seconds(1)
        /// How often the position is journalled while playing; nil for at pauses only.
        public var journalInterval: Duration? = .seconds(1)
        /// How it shares the sound with the other players of this process that have a focus; nil for not at all: it is heard
        /// beside everybody, and disturbs nobody. (Media3: `handleAudioFocus`, off by default as well.)
        ///
        /// It has the sound from when its device is about to be opened until it leaves the stage, ends or is stopped; with a
        /// transient focus until it is paused for any reason. What that means to the others: ``AudioFocus/Gain``. Who comes
        /// back on stage asks again.
        public var focus: AudioFocus?
        /// Whether it pauses, as by the user and to the frame, when its headphones are pulled or the card that it plays on goes
        /// away: what one person heard is not to be heard by the room, nor to go on when a card comes back. Jacks are those that
        /// the card's driver tells of ("Headphone Jack" and the like). (Media3: `setHandleAudioBecomingNoisy`, off by default
        /// as well.)
        public var pausesWhenNoisy = false
        /// What the position is kept under; nil for the file's path, size and time of change.
        public var key: String?

        /// Whether another program of the session that has the card, as a sound server does, is asked to let go of it when it
        /// is to play. It has its card back at each pause. By `org.freedesktop.ReserveDevice1` on the session bus, where there
        /// is one; the bus is not touched while the card is free.
        public var reservesDevice = true
        /// What it is asked with, within Int32; a program lets go for more than its own. By convention sound servers have 0 or
        /// less, JACK has 10. A program that asks us with more has the card until it gives it back.
        public var reservePriority = 10

        /// What its card is set to while its device is open, and put back when it has been given back; nil for nothing.
        public var route: MixerRoute?

        /// How far ahead it is written where nothing can be rewound.
        package var nearLimit = Duration.milliseconds(40)
        /// How far ahead of the pointer a pause cuts the sound off.
        package var horizon = Duration.milliseconds(10)

        public init() {}

        /// How much sound a pause may have to take back.
        var kept: Duration { max(.milliseconds(500), bufferTime + .milliseconds(200)) }

        var configuration: PlaybackConfiguration {
            var configuration = PlaybackConfiguration(output: output.map { .pcm($0) } ?? .paced(recording: recording))
            configuration.bufferTime = bufferTime
            configuration.pauseMode = pauseMode
            configuration.guardTime = guardTime
            configuration.nearLimit = nearLimit
            configuration.horizon = horizon
            configuration.isLooped = isLooped
            configuration.endPolicy = atEnd
            configuration.volume = volume
            configuration.fade = fade
            configuration.reservesDevice = reservesDevice
            configuration.reservationPriority = Int32(clamping: reservePriority)
            configuration.pausesWhenNoisy = pausesWhenNoisy
            configuration.realtime = realtime
            configuration.route = route
            return configuration
        }
    }

    private struct Start: Sendable {
        var isRestored = false
        var isSought = false
        /// To be read ahead as soon as it is known from where.
        var isReadAhead = false
    }

    public let handle: ResourceHandle
    /// What is known of the sound.
    public let info: MediaInfo
    let controls: PlaybackControls
    let observers: PlayerObservers
    private let start: StartPosition
    private let atEnd: EndPolicy
    private let feed: MediaFeed

    /// Where the first play begins: the stored position, unless something was sought before it came.
    private final class StartPosition: Sendable {
        let state = Mutex(Start())
    }

    /// Opens a sound file; no device is touched.
    ///
    /// - Parameters:
    ///   - positions: where its position is kept; nil for not at all.
    ///   - name: its name in receipts, events and the report.
    /// - Throws: `absent`, `permission`, `configuration` for a file that cannot be played, with the reason.
    public convenience init(
        media path: String, _ options: Options = Options(), positions: Positions? = nil, name: String = "playback"
    ) throws(DeviceError) {
        let file = try SoundFile.open(path)
        var journal: MediaJournal?
        if let positions {
            let identity: MediaIdentity
            if let key = options.key {
                identity = MediaIdentity(key: key)
            } else {
                identity = try MediaIdentity(file: path)
            }
            journal = MediaJournal(
                store: positions.store, media: identity, rate: Int64(file.info.rate), frames: file.info.knownFrames)
        }
        let feed = try MediaFeed(file, ahead: options.readAhead, kept: options.kept)
        self.init(feed: feed, options, journal: journal, name: name)
    }

    /// Plays the built-in sound of a minute, looped; its position is never kept.
    public convenience init(builtIn options: Options = Options(), name: String = "playback") {
        var looped = options
        looped.isLooped = true
        self.init(feed: MediaFeed(BuiltInSound()), looped, journal: nil, name: name)
    }

    init(feed: MediaFeed, _ options: Options, journal: MediaJournal?, name: String) {
        let configuration = options.configuration
        let controls = PlaybackControls(feed.info, configuration: configuration, clock: SystemClock())
        var journal = journal
        journal?.interval = options.journalInterval.map { max($0, .milliseconds(100)) }
        journal?.controls = controls
        let kept = journal
        let start = StartPosition()
        let observers = PlayerObservers(controls)
        self.controls = controls
        self.observers = observers
        self.start = start
        self.feed = feed
        atEnd = options.atEnd
        info = feed.info
        handle = ResourceHandle(
            name: name, kind: .audio, reasons: PauseReasons(.user), journal: kept,
            focus: options.focus.map { focus in
                ResourceHandle.FocusRole(focus: focus, isStopped: { observers.isStopped })
            }, pausesWhenNoisy: options.pausesWhenNoisy,
            onBind: { handle, scene in
                // What was sought stands before what was kept: then nothing is read, and nothing is waited for.
                guard let kept, start.state.withLock({ !$0.isRestored && !$0.isSought }) else { return }
                // The position is an argument of the acquire: the device waits for it, nothing else does.
                handle.pause(.preparing, true)
                kept.store.position(for: kept.media, scene: scene, frames: kept.frames) { stored in
                    let isReadAhead = start.state.withLock { state in
                        if let stored, !state.isSought, !state.isRestored { controls.seek(to: stored.position) }
                        state.isRestored = true
                        return state.isReadAhead
                    }
                    // What goes wrong is told when it is played.
                    if isReadAhead { try? feed.prefetch(at: controls.position) }
                    handle.pause(.preparing, false)
                    handle.tell(.restored)
                }
            },
            onEvent: { observers.take($0, $1, $2) },
            makeDriver: { report in
                // On the device's thread; without a device there is nothing to be late for.
                let scheduling: ThreadScheduling? =
                    if case .pcm = configuration.output { ThreadScheduling.ask(configuration.realtime) } else { nil }
                return PlaybackDriver(
                    configuration: configuration, media: feed, controls: controls, scheduling: scheduling,
                    report: report)
            })
    }

    /// Whether it plays as soon as it may: false is a user's pause, which survives any lifecycle. *Runs on:* any thread.
    public var playWhenReady: Bool {
        get { !handle.standingReasons.withLock { $0.contains(.user) } }
        set {
            if newValue { observers.isStopped = false }
            handle.pause(.user, !newValue)
        }
    }

    /// Reads what the first sound needs, so that ``play()`` has only to open the device; takes back a ``stop()``.
    ///
    /// No device is touched, and nothing waits. Where a position is kept it is read at the binding, and the media from there.
    /// Without it all of this is done when it is to play. (Media3's `prepare()` is not optional.)
    public func prepare() {
        observers.isStopped = false
        let isKnown = start.state.withLock { state in
            state.isReadAhead = true
            return handle.journal == nil || state.isRestored || state.isSought
        }
        // What goes wrong is told when it is played.
        if isKnown { try? feed.prefetch(at: controls.position) }
        handle.tell(.watched)
    }

    /// Sets ``playWhenReady``; at the end of the media it begins again, unless it is to stay there (``Options/atEnd``).
    public func play() {
        if atEnd == .rewind || isLooped { handle.pause(.finished, false) }
        playWhenReady = true
    }

    /// Clears ``playWhenReady``: the device is given back, the position stays.
    public func pause() {
        playWhenReady = false
    }

    /// Clears ``playWhenReady`` and goes back to frame 0: the device is given back, and what is kept of the position is 0.
    ///
    /// What is heard is heard up to the pause, as with ``pause()``. (Media3's `stop()` keeps the position, lets
    /// `playWhenReady` stand and wants a `prepare()` afterwards: there it means "let go of the player's resources", which
    /// here every pause does.) Where the media cannot be sought the position stays what it is.
    public func stop() {
        start.state.withLock { $0.isSought = true }
        observers.isStopped = true
        controls.seek(to: 0, onceReleased: true)
        handle.pause(.user, true)
        handle.pause(.finished, false)
        handle.tell(.sought)
    }

    /// The source frame that is heard next shall be `frame`; kept within the media. Never waits. Does nothing where the media
    /// cannot be sought (``MediaInfo/isSeekable``).
    public func seek(to frame: Int64) {
        guard info.isSeekable else { return }
        start.state.withLock { $0.isSought = true }
        observers.isStopped = false
        controls.seek(to: frame)
        handle.wakeDevice()
        handle.pause(.finished, false)
        handle.tell(.sought)
    }

    /// The source frame that is heard next; stands still while nothing plays. *Runs on:* any thread.
    public var position: Int64 { controls.position }

    /// 0…1; at 1 the samples are handed on bit by bit.
    public var volume: Double {
        get { controls.volume }
        set {
            controls.volume = newValue
            handle.wakeDevice()  // a long ring is not played out first
        }
    }

    /// Whether it begins again at its end, without a gap; never where the media cannot be sought.
    public var isLooped: Bool {
        get { controls.isLooped }
        set { controls.isLooped = newValue }
    }
}
