internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// One `onstage run`: wishes from everywhere go to the broker, and what it tells becomes lines, a report and a summary.
///
/// *Runs on:* the main thread, which waits in one place (``step()``).
final class Run {
    enum Message: Sendable {
        case event(BrokerEvent)
        /// All events of the wishes before have come.
        case settled(ControlSocket.Client, scene: String, refused: Int)
        /// The wishes with which the end begins have been decided.
        case left
        case closed
    }

    /// How far the end has come.
    enum Stage {
        case running
        /// The scenes have left; what they held is awaited.
        case ending(SessionEnd)
        case over
    }

    let plan: RunPlan
    let screen: Screen
    let mailbox: Mailbox<Message>
    private let signals: SignalDescriptor
    let broker: Broker
    let positions: Positions?
    var control: ControlSocket?
    let start: MonotonicTime
    var scenes: [String: RunScene] = [:]
    /// Every scene there was, also those that ended.
    var allScenes: [RunScene] = []
    var collector: ReportCollector
    /// How many wishes of each scene were refused, and the newest.
    var refusals: [String: (count: Int, last: String)] = [:]
    /// What each resource that waits was last said to wait for.
    private var waitsFor: [ResourceName: String] = [:]
    private var input = LineReader()
    private var isInputWanted: Bool
    private var nextEntry = 0
    private var statusLine = StatusLine()
    private var nextStatus: MonotonicTime?
    var stage = Stage.running
    var hasFailed = false

    /// Makes the broker; then time counts.
    init(_ plan: RunPlan, screen: Screen, signals: SignalDescriptor, positions: Positions?) throws(DeviceError) {
        self.plan = plan
        self.screen = screen
        self.signals = signals
        self.positions = positions
        collector = ReportCollector(keeping: plan.options.report == nil ? 16 : nil)
        let mailbox = try Mailbox<Message>()
        self.mailbox = mailbox
        var configuration = Broker.Configuration(profile: plan.profile)
        configuration.log = { screen.write($0, $1) }
        broker = try Broker(configuration)
        start = .now
        broker.observe { mailbox.send(.event($0)) }
        isInputWanted = true
        collector.recording = plan.profile.recording(plan.media)
    }

    /// Runs to the end and answers the exit status.
    func perform(main: Profile.Resources) -> Int32 {
        addScene(SceneWish.mainScene, main)
        listen()
        tell(.ready)
        if plan.scenario == nil { scenes[SceneWish.mainScene]?.carryOut(.state(.active)) }
        if screen.style == .status { nextStatus = start }
        while true {
            if case .over = stage { break }
            step()
        }
        return finish()
    }

    // MARK: Waiting

    /// Waits for the next thing and deals with it: the one place where the main thread waits.
    private func step() {
        var wait = WaitSet()
        let signalIndex = wait.add(signals.descriptor)
        let mailIndex = wait.add(mailbox.descriptor)
        // A background job that reads its terminal would be stopped; SIGCONT tells when it is in front again.
        let reads = isInputWanted && input.wantsInput && (!Terminal.isTerminal(0) || Terminal.isForeground(0))
        let inputIndex = reads ? wait.add(input.descriptor) : nil
        control?.prepare(&wait)
        for deadline in deadlines { wait.wake(at: deadline) }
        _ = wait.waitForEvents(SystemClock(), waking: mailbox)
        let now = MonotonicTime.now
        if wait.answers(mailIndex) != 0 { for message in mailbox.take() { take(message) } }
        if wait.answers(signalIndex) != 0 { for number in signals.drain() { takeSignal(number, now) } }
        takeDue(now)
        if let inputIndex, wait.answers(inputIndex) != 0 { takeInput() }
        if let requests = control?.service(wait, now: now) { for request in requests { take(request) } }
        advance(now)
    }

    private var deadlines: [MonotonicTime] {
        switch stage {
        case .running:
            [nextDue, plan.options.duration.map { start + $0 }, nextStatus].compactMap { $0 }
        case .ending(let end): [end.deadline]
        case .over: []
        }
    }

    private var nextDue: MonotonicTime? {
        guard let entries = plan.scenario?.entries, nextEntry < entries.count else { return nil }
        return start + entries[nextEntry].at
    }

    /// What the clock brings: wishes of the scenario, the end of `--duration`, the status line.
    private func takeDue(_ now: MonotonicTime) {
        let limit = plan.options.duration.map { start + $0 }
        while case .running = stage, let due = nextDue, due <= now, let entries = plan.scenario?.entries {
            // A wish of the moment of the end comes before it.
            if let limit, limit < due { break }
            let entry = entries[nextEntry]
            nextEntry += 1
            carryOut(entry.wish)
        }
        if let limit, limit <= now { end() }
        if let next = nextStatus, next <= now, let main = scenes[SceneWish.mainScene] {
            screen.show(statusLine.text(main, now: now, columns: screen.columns))
            nextStatus = now + .milliseconds(200)
        }
    }

    private func takeSignal(_ number: Int32, _ now: MonotonicTime) {
        switch number {
        case SIGUSR1: carryOut(SceneWish(.state(.inactive)))
        case SIGUSR2: carryOut(SceneWish(.state(.active)))
        case SIGINT, SIGTERM, SIGHUP: end()
        default: break  // SIGCONT: only to look at the terminal again
        }
    }

    private func takeInput() {
        for event in input.drain() {
            switch event {
            case .line(let line):
                guard !SceneWish.words(line).isEmpty else { continue }
                do throws(SceneWish.Refusal) {
                    carryOut(try SceneWish(line: line))
                } catch {
                    screen.write(.warning, "standard input: \(error)")
                }
            case .tooLong: screen.write(.warning, "standard input: a line is too long and is left out")
            case .end: isInputWanted = false
            }
        }
    }

    /// Whether an event says more than was said already: what waits tells so again at each try.
    private func isNews(_ event: BrokerEvent) -> Bool {
        switch event {
        case .resourceChanged(let name, .pendingOpen, let error?, _):
            let text = "\(error)"
            defer { waitsFor[name] = text }
            return waitsFor[name] != text
        case .resourceChanged(let name, .closed, _, _), .acquired(let name, _, _, _, _):
            waitsFor[name] = nil
            return true
        default: return true
        }
    }

    private func take(_ message: Message) {
        switch message {
        case .event(let event):
            collector.take(event)
            if case .refused(let scene, let wish, let error, _) = event {
                refusals[scene] = ((refusals[scene]?.count ?? 0) + 1, "\(wish): \(error)")
            }
            if isNews(event), let line = EventText.line(event, start: start) { screen.tell(line) }
        case .settled(let client, let scene, let refused): answer(client, scene: scene, refused: refused)
        case .left:
            if case .ending(var end) = stage {
                end.decided()
                stage = .ending(end)
            }
        case .closed: stage = .over
        }
    }

    // MARK: Wishes

    /// Carries out a wish, from wherever it comes.
    func carryOut(_ wish: SceneWish) {
        guard case .running = stage else { return }
        if wish.wish == .end, wish.named == nil { return end() }
        if let scene = scenes[wish.scene], !isEnded(scene) {
            scene.carryOut(wish.wish)
            return
        }
        if wish.wish == .end { return screen.write(.warning, "there is no scene \(wish.scene) to end") }
        do {
            let media = Profile.Media(
                path: plan.options.media, positions: positions, folder: plan.stateDirectory)
            let resources = try plan.profile.resources(media, isSynthetic: plan.isSynthetic)
            addScene(wish.scene, resources)
            scenes[wish.scene]?.carryOut(wish.wish)
        } catch {
            hasFailed = true
            screen.write(.error, "scene \(wish.scene) cannot be made: \(error)")
        }
    }

    private func isEnded(_ scene: RunScene) -> Bool {
        // A scene that has not begun and one that has ended both stand at notRunning; the broker knows which.
        broker.scene(scene.name) !== scene.scene
    }

    private func addScene(_ name: String, _ resources: Profile.Resources) {
        for resource in resources.all {
            let handle = resource.handle
            collector.add(
                ResourceName(resource: handle.name, scene: name), handle.kind,
                isSynthetic: plan.isSynthetic || plan.profile.isSynthetic(handle.name))
        }
        do {
            let scene = try RunScene(broker.scene(name), resources, isFresh: plan.options.isFresh)
            scenes[name] = scene
            allScenes.append(scene)
        } catch {
            hasFailed = true
            screen.write(.error, "scene \(name) cannot be made: \(error)")
        }
    }

    func tell(_ service: ServiceNotify) {
        if let fault = service.send() { screen.write(.warning, fault) }
    }

    // MARK: The end

    /// How long it waits for devices: the watchdog forces at its time, and reports as stuck after one more second.
    private var leavingLimit: Duration { plan.profile.deadlines.release + .milliseconds(1300) }

    private func end() {
        guard case .running = stage else { return }
        tell(.stopping)
        // Left first, ended then: while scenes live, every receipt and every stored position is told of.
        for scene in scenes.values where scene.hasBegun && !isEnded(scene) { scene.scene.enterBackground() }
        stage = .ending(SessionEnd(until: .now + leavingLimit))
        broker.afterWishes { [mailbox] in mailbox.send(.left) }
    }

    private func advance(_ now: MonotonicTime) {
        guard case .ending(var end) = stage else { return }
        let step = end.advance(
            now, isReleased: collector.unreleased.isEmpty, isStored: positions == nil || collector.isStored)
        stage = step == .over ? .over : .ending(end)
        if step == .close { broker.close { [mailbox] in mailbox.send(.closed) } }
    }
}
