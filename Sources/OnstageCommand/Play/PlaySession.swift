internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// One `onstage play`: a scene that is on stage, and in it one player after the other.
///
/// What the first sound does not need comes after it. *Runs on:* the main thread, which waits in one place (``step()``).
final class PlaySession {
    enum Message: Sendable {
        /// Something happened to the player of a turn; see ``PlaySession/turn``.
        case player(Int, PlayerEvent)
        case acquired(ResolvedDevice, ReportedFormat)
        /// A player is on the scene; or it holds nothing any more and has left it.
        case bound(Bool)
        /// The wishes of the end, of a stop, or of a change have been decided.
        ///
        /// With the turn in which they were wished.
        case decided(Int)
        case callback(@Sendable () -> Void)
        case closed
    }

    enum Stage: Equatable {
        case playing
        /// The player of this turn leaves; then the item of that number begins.
        case switching(to: Int, until: MonotonicTime)
        /// Ctrl-Z: the device is being given back before the process stops.
        case stopping(until: MonotonicTime, isDecided: Bool)
        case ending(SessionEnd)
        case over
    }

    /// Its scene's name: positions are kept under it.
    static let sceneName = "play"
    /// How long anything may take to be given back: the watchdog forces after 1 s, and reports as stuck after one more.
    static let releaseLimit = Duration.milliseconds(2300)

    let options: PlayOptions
    let screen: Screen
    let reporter: PlayReporter
    let signals: SignalDescriptor
    let mailbox: Mailbox<Message>
    let positions: Positions
    let broker: Broker
    let scene: Scene
    var keys = KeyReader()
    /// Where keys come from now; nil in the background, and without a terminal.
    var keyDescriptor: Int32?
    var stage = Stage.playing
    var hasFailed = false
    /// Something was heard.
    var hasBegun: Bool { toldTurn > 0 }
    /// The player of the present item, and how many there were before it.
    var player: Player?
    var turn = 0
    /// Where the present item begins.
    var firstFrame: Int64 = 0
    /// The newest turn whose item has been told of.
    var toldTurn = 0
    var index = 0
    var state = PlayerState.idle
    /// The present item was heard to its end.
    var hasEnded = false
    /// Whether a player is on the scene.
    var isBound = false
    /// The newest receipt's position until it is on the disk; nil from then on, and where the receipt has none to keep.
    var unstored: Int64?
    /// Keys that were pressed between two items.
    var waitingKeys: [Key] = []
    /// Ctrl-Z came between two items.
    var wantsStop = false
    /// What was last said to be waited for.
    var waitsFor: String?
    var nextStatus: MonotonicTime?

    /// Makes a broker; no device is touched.
    init(_ options: PlayOptions, screen: Screen, signals: SignalDescriptor) throws(DeviceError) {
        self.options = options
        self.screen = screen
        self.signals = signals
        reporter = PlayReporter(screen: screen, isJSON: options.isJSON, start: .now)
        positions = Positions(directory: options.state ?? Positions.standardDirectory) { screen.write(.warning, $0) }
        let mailbox = try Mailbox<Message>()
        self.mailbox = mailbox
        var configuration = Broker.Configuration()
        configuration.log = { screen.write($0, $1) }
        // Here, between two waits: a thread less to begin.
        configuration.callbacks = .custom { mailbox.send(.callback($0)) }
        broker = try Broker(configuration)
        broker.observe { event in
            switch event {
            case .acquired(_, let device, let format, _, _): mailbox.send(.acquired(device, format))
            case .bound: mailbox.send(.bound(true))
            case .unbound: mailbox.send(.bound(false))
            default: break
            }
        }
        scene = broker.scene(Self.sceneName)
    }

    /// Plays to the end and answers the exit status.
    func perform() -> Int32 {
        begin(0, forwards: true)
        scene.resume()
        while stage != .over { step() }
        if keyDescriptor != nil { Terminal.endKeys() }
        positions.close()
        let status: Int32 = hasFailed ? 1 : 0
        reporter.over(status, player, hasEnded: hasEnded)
        return status
    }

    // MARK: One item after the other

    /// Begins the item of that number, or the next one that can be played; without one it is the end.
    ///
    /// Backwards there is always one: the item that played before. In a loop the first comes behind the last.
    private func begin(_ number: Int, forwards: Bool) {
        var (number, forwards) = (number, forwards)
        let isPaused = player.map { !$0.playWhenReady } ?? false
        for _ in 0..<2 * options.items.count {
            if number < 0 { (number, forwards) = (index, true) }
            if number == options.items.count, options.isLooped, options.items.count > 1 { number = 0 }
            guard options.items.indices.contains(number) else { break }
            do throws(DeviceError) {
                try begin(options.items[number], number, isPaused: isPaused)
                return
            } catch {
                hasFailed = true
                reporter.failed(error)
            }
            number += forwards ? 1 : -1
        }
        leave()
    }

    private func begin(_ item: PlayItem, _ number: Int, isPaused: Bool) throws(DeviceError) {
        let made = try makePlayer(item, isFirst: number == 0 && turn == 0)
        (player, index) = (made, number)
        turn += 1
        (state, waitsFor, hasEnded) = (.idle, nil, false)
        made.observe(positionEvery: options.tick) { [mailbox, turn] in mailbox.send(.player(turn, $0)) }
        made.playWhenReady = !isPaused
        do throws(BindingError) {
            try scene.bind(made)
        } catch {
            preconditionFailure("a new player is bound to a scene that is going on: \(error)")
        }
    }

    private func makePlayer(_ item: PlayItem, isFirst: Bool) throws(DeviceError) -> Player {
        switch item {
        case .file(let path):
            let player = try Player(media: path, options.player, positions: positions)
            if let from = options.from, isFirst {
                let frame = from.frame(rate: player.info.rate)
                guard frame <= player.info.frames else {
                    throw DeviceError(
                        .configuration, operation: "", device: player.info.name,
                        reason: "it ends at \(MediaTime.text(player.info.frames, rate: player.info.rate)), before what "
                            + "--from asks for")
                }
                player.seek(to: frame)
            } else if !options.isResumed {
                // What is sought stands before what is kept, which is then not even read.
                player.seek(to: 0)
            }
            return player
        case .standardInput:
            guard let raw = options.raw else {
                preconditionFailure("the options refuse standard input without its format")
            }
            return try Player(pipe: STDIN_FILENO, raw.sample, rate: raw.rate, channels: raw.channels, options.player)
        }
    }

    /// Takes the present player off the stage, and then begins the item of that number.
    func move(to number: Int) {
        guard stage == .playing, let player else { return }
        nextStatus = nil
        stage = .switching(to: number, until: .now + Self.releaseLimit)
        scene.unbind(player)
        broker.afterWishes { [mailbox, turn] in mailbox.send(.decided(turn)) }
    }

    /// The player before has left: the next one begins.
    private func change() {
        guard case .switching(let number, _) = stage else { return }
        stage = .playing
        begin(number, forwards: number >= index)
        if wantsStop { stop() }
        takeWaitingKeys()
    }

    /// Carries out what was pressed while nothing could be.
    func takeWaitingKeys() {
        while stage == .playing, !waitingKeys.isEmpty { take(waitingKeys.removeFirst()) }
    }

    // MARK: Waiting

    /// Waits for the next thing and deals with it: the one place where the main thread waits.
    private func step() {
        var wait = WaitSet()
        let signalIndex = wait.add(signals.descriptor)
        let mailIndex = wait.add(mailbox.descriptor)
        let keyIndex = keyDescriptor.map { wait.add($0) }
        if let deadline { wait.wake(at: deadline) }
        _ = wait.waitForEvents(SystemClock(), waking: mailbox)
        if wait.answers(mailIndex) != 0 { for message in mailbox.take() { take(message) } }
        if wait.answers(signalIndex) != 0 { for number in signals.drain() { takeSignal(number) } }
        if let keyIndex, wait.answers(keyIndex) != 0 { takeKeys() }
        let now = MonotonicTime.now
        if let next = nextStatus, next <= now { showStatus(now) }
        advance(now)
    }

    private var deadline: MonotonicTime? {
        switch stage {
        case .playing: nextStatus
        case .switching(_, let until), .stopping(let until, _): until
        case .ending(let end): end.deadline
        case .over: nil
        }
    }

    private func take(_ message: Message) {
        switch message {
        case .player(turn, let event): take(event)
        case .acquired(let device, let format):
            waitsFor = nil
            reporter.acquired(device, format)
        case .bound(let isBound):
            self.isBound = isBound
            if !isBound { change() }
        case .decided(turn):
            switch stage {
            case .stopping(let until, _): stage = .stopping(until: until, isDecided: true)
            case .ending(var end):
                end.decided()
                stage = .ending(end)
            // One that left before it had come was never on the scene, and nothing else is told.
            case .switching: if !isBound { change() }
            case .playing, .over: break
            }
        // The disk is slower than the change to the next item.
        case .player(_, .stored(let position)): take(.stored(position: position))
        case .player, .decided: break  // of an earlier turn
        case .callback(let block): block()
        case .closed: stage = .over
        }
    }
}
