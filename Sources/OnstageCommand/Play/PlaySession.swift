internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// One `onstage play`: a scene that is on stage, with a player.
///
/// What the first sound does not need comes after it. *Runs on:* the main thread, which waits in one place (``step()``).
final class PlaySession {
    enum Message: Sendable {
        case event(BrokerEvent)
        /// The wish with which the end begins has been decided.
        case left
        case closed
    }

    /// How far the end has come.
    private enum Stage {
        case playing
        /// The device is being given back; the disk is awaited for the position.
        case leaving(until: MonotonicTime, hasLeft: Bool, restSince: MonotonicTime?)
        case closing(until: MonotonicTime)
        case over
    }

    /// Its scene's name: positions are kept under it.
    static let sceneName = "play"

    private let options: PlayOptions
    private let screen: Screen
    private let signals: SignalDescriptor
    private let mailbox: Mailbox<Message>
    private let positions: Positions
    private let broker: Broker
    private let scene: Scene
    private let player: Player
    private var keys = KeyReader()
    /// Whether keys are read now; false in the background.
    private var readsKeys = false
    private var stage = Stage.playing
    private var hasFailed = false
    /// A first sound was heard.
    private var hasBegun = false
    private var resourceState = ResourceState.closed
    /// The newest receipt that has a position, and whether it is on the disk.
    private var receipt: ReleaseReceipt?
    private var isStored = true
    /// What was last said to be waited for.
    private var waitsFor: String?
    private var nextStatus: MonotonicTime?

    /// Opens the sound and makes a broker; no device is touched.
    init(_ options: PlayOptions, screen: Screen, signals: SignalDescriptor) throws(DeviceError) {
        self.options = options
        self.screen = screen
        self.signals = signals
        positions = Positions(directory: options.state ?? Positions.standardDirectory) { screen.write(.warning, $0) }
        player = try Player(media: options.files[0], options.player, positions: positions)
        let info = player.info
        if let from = options.from {
            let frame = from.frame(rate: info.rate)
            guard frame <= info.frames else {
                throw DeviceError(
                    .configuration, operation: "", device: info.name,
                    reason: "it ends at \(MediaTime.text(info.frames, rate: info.rate)), before what --from asks for")
            }
            player.seek(to: frame)
        } else if !options.isResumed {
            player.seek(to: 0)
        }
        mailbox = try Mailbox()
        var configuration = Broker.Configuration()
        configuration.log = { screen.write($0, $1) }
        broker = try Broker(configuration)
        broker.observe { [mailbox] in mailbox.send(.event($0)) }
        scene = broker.scene(Self.sceneName)
    }

    /// Plays to the end and answers the exit status.
    func perform() -> Int32 {
        player.playWhenReady = true
        do throws(BindingError) {
            try scene.bind(player)
        } catch {
            preconditionFailure("a new player is bound to a new scene: \(error)")
        }
        scene.resume()
        while true {
            if case .over = stage { break }
            step()
        }
        return finish()
    }

    private func finish() -> Int32 {
        if readsKeys { Terminal.endKeys() }
        screen.say("")
        positions.close()
        return hasFailed ? 1 : 0
    }

    // MARK: Waiting

    /// Waits for the next thing and deals with it: the one place where the main thread waits.
    private func step() {
        var wait = WaitSet()
        let signalIndex = wait.add(signals.descriptor)
        let mailIndex = wait.add(mailbox.descriptor)
        let keyIndex = readsKeys ? wait.add(STDIN_FILENO) : nil
        if let deadline { wait.wake(at: deadline) }
        _ = wait.waitForEvents(SystemClock(), waking: mailbox)
        let now = MonotonicTime.now
        if wait.answers(mailIndex) != 0 { for message in mailbox.take() { take(message, now) } }
        if wait.answers(signalIndex) != 0 { for number in signals.drain() { takeSignal(number) } }
        if let keyIndex, wait.answers(keyIndex) != 0 { takeKeys() }
        if let next = nextStatus, next <= now { showStatus(now) }
        advance(now)
    }

    private var deadline: MonotonicTime? {
        switch stage {
        case .playing: nextStatus
        case .leaving(let until, _, let since): since.map { min(until, $0 + Self.storeLimit) } ?? until
        case .closing(let until): until
        case .over: nil
        }
    }

    private func takeSignal(_ number: Int32) {
        switch number {
        case SIGUSR1: player.pause()
        case SIGUSR2: player.play()
        case SIGINT, SIGTERM, SIGHUP: leave()
        case SIGCONT: takeTerminal()
        case SIGWINCH: if nextStatus != nil { nextStatus = .now }
        default: break
        }
    }

    // MARK: The terminal

    /// Begins to read keys and to show where the sound is, where there is a terminal and we are in front.
    private func takeTerminal() {
        guard hasBegun, Terminal.isTerminal(STDIN_FILENO) else { return }
        readsKeys = Terminal.beginKeys(STDIN_FILENO)
        if screen.style == .status { nextStatus = .now }
    }

    private func takeKeys() {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else {
            // The terminal is gone (EIO), or somebody else reads it.
            readsKeys = count < 0 && (errno == EINTR || errno == EAGAIN)
            return
        }
        for key in keys.keys(bytes[..<count]) { take(key) }
    }

    private func take(_ key: Key) {
        guard case .playing = stage else { return }
        switch key {
        case .character(UInt8(ascii: " ")):
            if player.playWhenReady { player.pause() } else { player.play() }
        case .character(UInt8(ascii: "q")), .character(UInt8(ascii: "Q")): leave()
        case .left: seek(by: -5)
        case .right: seek(by: 5)
        case .up: player.volume += 0.05
        case .down: player.volume -= 0.05
        case .character: break
        }
        if nextStatus != nil { nextStatus = .now }
    }

    private func seek(by seconds: Int64) {
        player.seek(to: player.position + seconds * Int64(player.info.rate))
    }

    private func showStatus(_ now: MonotonicTime) {
        let word = resourceState == .open ? "playing" : player.playWhenReady ? "waits" : "paused"
        var text = "\(word) \(StatusLine.bar(player.position, player.info, screen.columns < 60))"
        if player.volume != 1 { text += " \(FixedPoint.text(player.volume * 100, 0)) %" }
        screen.show(text)
        nextStatus = now + .milliseconds(resourceState == .open ? 200 : 1000)
    }

    // MARK: What happens

    private func take(_ message: Message, _ now: MonotonicTime) {
        switch message {
        case .event(let event): take(event)
        case .left:
            if case .leaving(let until, _, let since) = stage {
                stage = .leaving(until: until, hasLeft: true, restSince: since)
            }
        case .closed: stage = .over
        }
    }

    private func take(_ event: BrokerEvent) {
        switch event {
        case .first:
            begin()
            screen.tell("\(player.info.name) on \(player.device?.identity ?? "")")
        case .acquired: waitsFor = nil
        case .resourceChanged(_, let state, let error, _):
            resourceState = state
            changed(state, error)
        case .released(let receipt):
            guard let position = receipt.detail.position else { return }
            self.receipt = receipt
            isStored = false
            let time = MediaTime.text(position, rate: player.info.rate)
            screen.tell("paused at \(time), frame \(position)" + released(receipt))
        case .stored(_, _, let asked, _): if asked == receipt?.asked { isStored = true }
        case .ended: leave()
        case .recovered(_, let error, _): screen.write(.warning, "\(error)")
        case .note(_, let text, _): screen.write(.notice, text)
        case .sceneMoved, .appMoved, .refused, .interrupted, .interruptionEnded, .bound, .unbound, .position: break
        }
    }

    /// The first sound is heard: now there is time for everything else.
    private func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        for oddity in player.info.oddities { screen.write(.warning, oddity) }
        takeTerminal()
    }

    private func changed(_ state: ResourceState, _ error: DeviceError?) {
        guard let error else { return }
        if state == .closed, !error.isRecoverable { return fail(error) }
        guard state == .pendingOpen else { return }
        // A player that has never played does not wait for a device, unless it is told to.
        if !hasBegun, !options.waits { return fail(error) }
        let text = "\(error)"
        if waitsFor != text { screen.write(.warning, text) }
        waitsFor = text
    }

    private func released(_ receipt: ReleaseReceipt) -> String {
        guard let released = receipt.released, !receipt.stuck else { return ", and the device is stuck: not released" }
        var text = ", device given back after \(FixedPoint.milliseconds(released - receipt.asked))"
        if let off = receipt.detail.off, off != 0 { text += ", off by \(off) frames" }
        return text
    }

    // MARK: The end

    /// How long the end waits for the disk when the device is back.
    private static let storeLimit = Duration.seconds(1)
    /// How long it waits for the device: the watchdog forces after 1 s, and reports as stuck after one more.
    private static let leavingLimit = Duration.milliseconds(2300)
    private static let closingLimit = Duration.milliseconds(300)

    private func fail(_ error: DeviceError) {
        guard case .playing = stage else { return }
        hasFailed = true
        screen.write(.error, "\(error)")
        leave()
    }

    private func leave() {
        guard case .playing = stage else { return }
        nextStatus = nil
        // Left first, ended then: while the scene lives, every receipt and every stored position is told of.
        scene.enterBackground()
        stage = .leaving(until: .now + Self.leavingLimit, hasLeft: false, restSince: nil)
        broker.afterWishes { [mailbox] in mailbox.send(.left) }
    }

    private func advance(_ now: MonotonicTime) {
        switch stage {
        case .leaving(let until, let hasLeft, let since):
            guard hasLeft, resourceState == .closed || resourceState == .pendingOpen else {
                if until <= now { close(now) }
                return
            }
            let rested = since ?? now
            if isStored || min(until, rested + Self.storeLimit) <= now {
                close(now)
            } else {
                stage = .leaving(until: until, hasLeft: true, restSince: rested)
            }
        case .closing(let until):
            if until <= now { stage = .over }
        case .playing, .over: break
        }
    }

    private func close(_ now: MonotonicTime) {
        stage = .closing(until: now + Self.closingLimit)
        broker.close { [mailbox] in mailbox.send(.closed) }
    }
}
