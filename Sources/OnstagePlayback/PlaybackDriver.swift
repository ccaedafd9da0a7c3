package import OnstageCore
package import OnstageLinux
internal import Synchronization

/// One player's way to its PCM.
///
/// The promise: the frame after the last one heard is the first one played again, whatever lies between. What is heard is
/// counted in ``PlaybackLedger``; how a pause finds it is in `PlaybackDriver+Release.swift`.
package final class PlaybackDriver: DeviceDriver {
    /// What the stream is doing.
    enum Phase: Hashable {
        /// Nothing is open.
        case closed
        /// Open, and stopped until the media has been read.
        case buffering
        /// Content is being written.
        case playing
        /// The media has no more; silence stands, or will stand, behind its last frame.
        case ending
        /// The last frame has been heard, and told.
        case ended
        /// A pause: the last frame that will be heard is written, silence behind it.
        case draining
    }

    /// Wishes in, position out; from any thread.
    package let controls: PlaybackControls

    let configuration: PlaybackConfiguration
    let media: MediaFeed
    let clock: any MonotonicClock
    let backend: OutputBackend
    let report: DriverReporter
    /// A running stream whose pointer stands for this long is stalled.
    let stallLimit: Duration
    let forceHandle = ForceHandle()
    let delivered = Atomic<UInt64>(0)
    private let underruns = Atomic<UInt64>(0)
    /// How the device's thread is scheduled.
    private let scheduling: ThreadScheduling?
    private var isSchedulingTold = false

    // Used on the device's thread alone, and by no two calls at once: the hot ones are not watched for that at run time.
    @exclusivity(unchecked) var output: (any PCMOutput)?
    var block: SampleBlock?
    /// What the block was made for.
    private var blockFacts: OutputFacts?
    @exclusivity(unchecked) var phase = Phase.closed
    @exclusivity(unchecked) var ledger: PlaybackLedger
    /// How the device is named in errors.
    var identity = ""
    /// How loud each frame of content is, counted as the ledger counts them.
    var gain = GainEnvelope()
    /// Frames of this stream that were taken back from the device to come at another volume, and are not written again yet.
    var takenBack: Int64 = 0
    /// The media has more, but it had not been read when there was room for it.
    var isStarved = false
    /// When it is said that nothing comes, or given up; nil where that has been said.
    var bufferingUntil: MonotonicTime?
    var isWaitingTold = false
    /// Sound that comes when it comes has begun to; by then it is played, however little it is.
    var gatherUntil: MonotonicTime?
    /// The first sound since the acquire has been told.
    var isBegun = false
    /// The last acquire ended because the media gave nothing.
    var isMediaHung = false
    /// The stream broke for good: what is left is to close it.
    var isBroken = false
    /// Restarts after an XRUN since something was heard.
    @exclusivity(unchecked) var restarts = 0
    /// Attempts to begin anew after a system sleep since something was heard.
    @exclusivity(unchecked) var awakenings = 0
    /// A system sleep has stopped the stream, and the card could not be begun anew yet: tried again when the turn comes.
    var isAsleep = false
    /// When something was last heard anew, by what the device says.
    @exclusivity(unchecked) var progressAt = MonotonicTime(nanoseconds: 0)
    /// The next turn when no descriptor tells it.
    @exclusivity(unchecked) var turnAt: MonotonicTime?
    /// The last look at the pointer, to tell a card that went round its whole ring since.
    @exclusivity(unchecked) var look: Look?
    /// The most frames seen under way in this stream: out of the ring, and not heard yet by what the device says (USB transfers).
    var underWay: Int64 = 0
    /// What was under way in this stream has been given up: once, however many calls tell of its end.
    var isBrokenOff = false
    /// Of what is heard of this stream so many frames do not count should it break off.
    @exclusivity(unchecked) var unsure: Int64 = 0
    /// Frames of which it is not known whether they were written in time since it was acquired.
    var doubtful: Int64 = 0
    /// Frames that a pause under way has heard again, because the machine stood still for longer than the ring lasts.
    var again: Int64 = 0
    /// What is handed on in steady play.
    @exclusivity(unchecked) var steady = Steady()
    /// Oddities of the media are told once.
    private var isMediaTold = false
    var drain = Drain()
    /// The right to the card among the programs of the session; made when it was found busy.
    var reservation: CardReservation?
    /// The card is reserved for us, for as long as its device is open.
    var isReserved = false
    /// Where the reservation's descriptor is in the wait that was named last.
    var reservationEntry: Int?
    /// What is set on the card for as long as its device is open.
    var route: StandingRoute?
    /// Where all of this process stand; a test has one of its own.
    var routes = RouteBoard.shared
    /// Open only while it plays and its app asked for it.
    @exclusivity(unchecked) var jacks: (any JackWatch)?
    var isJackTried = false
    /// When the stream was started, while something can be learned of it.
    var streamStart: StreamStart?
    /// What has been learned of cards; a test has one of its own.
    var guards = GuardTable.shared
    /// How far ahead of the pointer a pause cuts; grows when a splice came late.
    var horizonFrames = 0

    /// - Parameters:
    ///   - controls: made beforehand with the media's info and the position to begin at; the broker keeps it.
    ///   - media: one driver's at a time.
    ///   - scheduling: what the thread that it is made on was given; nil where none was asked for.
    ///   - report: takes what happens, on the device's thread.
    package init(
        configuration: PlaybackConfiguration, media: MediaFeed, controls: PlaybackControls? = nil,
        clock: any MonotonicClock = SystemClock(), backend: OutputBackend? = nil,
        scheduling: ThreadScheduling? = nil, report: @escaping DriverReporter
    ) {
        self.configuration = configuration.inRange
        self.scheduling = scheduling
        stallLimit = max(.seconds(1), self.configuration.bufferTime * 2)
        self.media = media
        self.controls = controls ?? PlaybackControls(media.info, configuration: configuration, clock: clock)
        self.clock = clock
        self.backend = backend ?? .fitting(configuration.output, clock: clock)
        self.report = report
        ledger = PlaybackLedger(base: self.controls.position, length: media.info.knownFrames)
    }

    /// The same for media that are read on the device's thread, a period at a time: what is there at once, and cheap.
    package convenience init(
        configuration: PlaybackConfiguration, media: any MediaSource, controls: PlaybackControls? = nil,
        clock: any MonotonicClock = SystemClock(), backend: OutputBackend? = nil, report: @escaping DriverReporter
    ) {
        self.init(
            configuration: configuration, media: MediaFeed(media), controls: controls, clock: clock, backend: backend,
            report: report)
    }

    package var counts: DriverCounts {
        var counts = DriverCounts()
        counts.delivered = delivered.load(ordering: .relaxed)
        counts.underruns = underruns.load(ordering: .relaxed)
        return counts
    }

    package func resolve() throws(DeviceError) -> ResolvedDevice {
        try backend.resolve(configuration)
    }

    /// Stops the stream in the kernel, so that whoever waits for it is let go.
    ///
    /// Only where the PCM's descriptor is the device's own: the ioctl goes to a duplicate, because `snd_pcm_drop` is not for
    /// two threads. Through plug-ins nothing blocks in the kernel: there the broker's wake-up is all that is needed.
    /// *C: `SNDRV_PCM_IOCTL_DROP`.*
    package func force() {
        forceHandle.dropStream()
    }

    func countUnderrun() {
        underruns.add(1, ordering: .relaxed)
    }

    /// Takes note of what has been heard by now.
    func observe(_ change: (inout PlaybackLedger) -> Void) {
        let before = ledger.heard
        change(&ledger)
        noteHeard(ledger.heard - before, clock.now)
    }

    func noteHeard(_ more: Int64, _ now: MonotonicTime) {
        guard more > 0 else { return }
        delivered.add(UInt64(more), ordering: .relaxed)
        progressAt = now
        if ledger.heard > unsure { restarts = 0 }
        // Of a stream that falls asleep again so many frames do not count.
        if awakenings > 0, ledger.heard > Int64(output?.facts.guardFrames ?? 0) { awakenings = 0 }
    }

    func publish(isRunning: Bool) {
        controls.publish(ledger, rate: isRunning ? media.info.rate : 0, at: clock.now)
    }

    package func acquire(
        _ device: ResolvedDevice, _ cancellation: any CancellationSource
    ) throws(DeviceError) -> Acquired {
        precondition(phase == .closed, "acquired while it is open")
        identity = device.identity
        isBroken = false
        let info = media.info
        var start = controls.takeSeek() ?? ledger.position
        let isAtEnd = ledger.length.map { start >= $0 } ?? false
        if isAtEnd, beginsAnew { start = 0 }
        ledger = PlaybackLedger(base: start, length: ledger.length)
        publish(isRunning: false)
        guard info.frames > 0 || !info.hasLength, !isAtEnd || beginsAnew else {
            // Nothing to play: it has ended before a device is taken (W-03).
            phase = .ending
            return Acquired(
                format: [("media", .text(info.name))],
                notes: mediaNotes() + [
                    isAtEnd && info.frames > 0 ? "the media has no more frames" : "the media has no frames"
                ])
        }
        try media.seek(to: start)
        if isMediaHung, !media.isReady(startFrames) { throw hung() }
        try cancellation.check("snd_pcm_open", device: identity)
        let request = OutputRequest(
            rate: info.rate, channels: info.channels, formats: media.format.candidates, configuration: configuration)
        let (opened, asked) = try openRouted(device, request, cancellation)
        // From here on it is ours to give back, whatever comes between.
        output = opened
        do throws(DeviceError) {
            try cancellation.check("snd_pcm_start", device: identity)
            try begin(opened)
        } catch {
            close()
            throw error
        }
        var acquired = acquired(opened.facts)
        acquired.notes += asked
        return acquired
    }

    /// Whether a sound that stands at its end is played from its beginning.
    var beginsAnew: Bool {
        media.info.isSeekable && (configuration.endPolicy == .rewind || controls.isLooped)
    }

    /// Fills the PCM and starts it.
    private func begin(_ opened: any PCMOutput) throws(DeviceError) {
        if let descriptor = opened.deviceDescriptor { forceHandle.arm(descriptor) }
        let facts = opened.facts
        makeBlock(facts)
        if horizonFrames == 0 { horizonFrames = frames(configuration.horizon) }
        drain = Drain()
        (doubtful, again) = (0, 0)
        (isBegun, isWaitingTold, gatherUntil, isJackTried) = (false, false, nil, false)
        try startStream(from: ledger.base)
    }

    /// The room for sound on its way; that of the acquire before, where it fits.
    private func makeBlock(_ facts: OutputFacts) {
        let capacity = max(facts.bufferFrames, frames(.milliseconds(20)))
        if block != nil, let made = blockFacts, made.format == facts.format, made.channels == facts.channels,
            made.layout == facts.layout, made.isLent == facts.isLent, block?.capacity == capacity
        {
            block?.removeAll()
            return
        }
        blockFacts = facts
        block = SampleBlock(
            source: media.format, target: facts.format, channels: media.info.channels,
            matrix: facts.matrix(for: media.info), capacity: capacity, isLent: facts.isLent)
    }

    private func mediaNotes() -> [String] {
        defer { isMediaTold = true }
        return isMediaTold ? [] : media.info.oddities.map { "\(media.info.name): \($0)" }
    }

    private func acquired(_ facts: OutputFacts) -> Acquired {
        var format: [(name: String, value: FormatValue)] = [
            ("pcm", .text(facts.name)), ("rate", .integer(Int64(facts.rate))),
            ("channels", .integer(Int64(facts.channels))), ("sampleFormat", .text(facts.format.name)),
            ("periodFrames", .integer(Int64(facts.periodFrames))),
            ("bufferFrames", .integer(Int64(facts.bufferFrames))),
            ("guardFrames", .integer(Int64(facts.guardFrames))), ("guardFrom", .text(facts.guardOrigin.rawValue)),
            ("throughPlugins", .flag(!facts.isPlain)),
        ]
        format += facts.more
        if let key = facts.guardKey, let lead = guards.lead(key) {
            format.append(("pointerLeadFrames", .integer(Int64(lead))))
        }
        if let route { format.append(("route", .text(route.route.description))) }
        var notes = mediaNotes() + facts.notes
        if let scheduling {
            format.append(("scheduling", .text(scheduling.text)))
            if let note = scheduling.note, !isSchedulingTold { notes.append(note) }
            isSchedulingTold = true
        }
        if let matrix = block?.matrix {
            let device = facts.layout ?? .device(facts.channels)
            format.append(("mediaChannels", .integer(Int64(media.info.channels))))
            format.append(("channelMix", .text("\(media.info.layout) to \(device)")))
            notes.append(
                "\(matrix.isSelection ? "" : "mixed: ")the sound's channels are \(media.info.layout), "
                    + "\(identity) has \(device)")
        }
        return Acquired(format: format, notes: notes)
    }

    func frames(_ time: Duration) -> Int {
        Int(time.wholeNanoseconds / 1000 * Int64(media.info.rate) / 1_000_000)
    }

    func duration(_ frames: Int64) -> Duration {
        .nanoseconds(max(0, frames) * 1_000_000_000 / Int64(max(1, media.info.rate)))
    }

    /// Gives everything back; the position stays.
    func close() {
        forceHandle.disarm()
        unwatchJacks()
        if let output {
            output.close()
            if let trouble = output.takeTrouble() { report(.recovered(trouble)) }
        }
        output = nil
        endReservation()
        steady = Steady()
        block?.removeAll()
        look = nil
        streamStart = nil
        (isAsleep, awakenings) = (false, 0)
        phase = .closed
        turnAt = nil
        ledger.forgetUnheard()
        publish(isRunning: false)
    }
}
