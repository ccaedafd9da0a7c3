internal import OnstageCore
internal import OnstageLinux

/// All that the deciding thread knows; made on it and touched by nothing else.
final class DeciderState {
    /// A scene as the deciding thread knows it.
    struct SceneEntry {
        let scene: Scene
        var lifecycle = SceneLifecycle()
        var interruptions = Interruptions()
        var blocks = DeferredBlocks()
        var blockBodies: [DeferredBlockID: @Sendable () -> Void] = [:]
        var timerBodies: [SceneTimerID: @Sendable () -> Void] = [:]
        var phaseFollowers: [PhaseFollower] = []
        var observers: [ObserverID: any SceneObserver] = [:]
        /// A callback is on its way; its return asks for the next step.
        var isCallingOut = false
        /// It has come to its end and its observers have not all heard of it: for the app it is still in the background.
        var isEnding = false
        /// The shade stands, or is on its way to stand.
        var isShaded = false
        /// The number of its newest activation, for the arbiter.
        var activation: UInt64 = 0
        var resources: [ResourceID] = []
        /// Answers of the newest pause.
        var receipts: [ReleaseReceipt] = []
        var waiting: [CheckedContinuation<[ReleaseReceipt], Never>] = []
    }

    /// A bound resource as the deciding thread knows it.
    struct ResourceEntry {
        let handle: ResourceHandle
        let scene: SceneID
        let threshold: BindingThreshold
        var machine: ResourceMachine
        var thread: DeviceThread?
        var device: ResolvedDevice?
        /// When the acquire under way was wanted.
        var asked = MonotonicTime(nanoseconds: 0)
        /// Ends the journal of what is open.
        var endFollow: (@Sendable () -> Void)?
        var focus = FocusPlace()
        /// Pauses that have no receipt yet.
        var openPauses = 0
        /// It was unbound: goes when it holds nothing.
        var isUnbound = false

        /// The kernel holds its thread, and nothing but the kernel can end that.
        var isStuck: Bool { if case .stuck = machine.phase { true } else { false } }
    }

    /// A binding that begins when the one before of the same resource is through.
    struct WaitingBind {
        let scene: SceneID
        let handle: ResourceHandle
    }

    let broker: Broker
    let configuration: Broker.Configuration
    var scenes: [SceneID: SceneEntry] = [:]
    var resources: [ResourceID: ResourceEntry] = [:]
    /// Bindings of resources whose binding before has still to give its device back (``BindingTurns``).
    var waitingBinds: [ResourceID: WaitingBind] = [:]
    var app: AppLifecycle
    var appObservers: [ObserverID: any AppObserver] = [:]
    var appPhaseFollowers: [PhaseFollower] = []
    var isAppCallingOut = false
    var nextObserver: UInt32 = 0
    var activations: UInt64 = 0
    var arbiter = Arbiter()
    var timers = TimerQueue()
    var standing: PauseReasons = []
    /// What happened and has not been told.
    private var untold: [BrokerEvent] = []
    /// The same for those who read phases; nil for the end.
    var untoldPhases: [(follower: PhaseFollower, change: PhaseChange?)] = []
    /// A device's thread has got an order (``takeOrdered()``).
    var hasOrdered = false
    var subscribers: [(yield: @Sendable (BrokerEvent) -> Bool, finish: @Sendable () -> Void)] = []
    var closing: [@Sendable () -> Void] = []
    var isClosing = false
    var isFinished = false
    /// The end's time for callbacks is over.
    private var isOverdue = false
    var watch: DeviceWatch?

    init(_ broker: Broker, _ configuration: Broker.Configuration) {
        self.broker = broker
        self.configuration = configuration
        do {
            app = try AppLifecycle(backgroundDelay: configuration.backgroundDelay)
        } catch {
            preconditionFailure("the broker's initialiser refuses what AppLifecycle refuses")
        }
    }

    var now: MonotonicTime { configuration.clock.now }

    /// Tells it when what is to be decided now has been decided.
    func emit(_ event: BrokerEvent) {
        untold.append(event)
    }

    /// Whether a device's thread has got an order since this was asked last.
    func takeOrdered() -> Bool {
        defer { hasOrdered = false }
        return hasOrdered
    }

    /// Hands out what there is to tell.
    func tell() {
        tellFollowers()
        guard !untold.isEmpty else { return }
        for event in untold { subscribers.removeAll { !$0.yield(event) } }
        untold.removeAll(keepingCapacity: true)
    }

    func name(_ id: ResourceID) -> ResourceName {
        guard let entry = resources[id] else { return ResourceName(resource: "", scene: "") }
        return ResourceName(resource: entry.handle.name, scene: broker.sceneName(entry.scene))
    }

    // MARK: What comes in

    func prepare(_ wait: inout WaitSet) {
        if let next = timers.next { wait.wake(at: next) }
        watch?.prepare(&wait)
    }

    func takeEvents(_ wait: borrowing WaitSet) {
        guard let changes = watch?.changes(wait) else { return }
        for change in changes { deviceChanged(change) }
    }

    func takeTimers() {
        for name in timers.due(now) {
            switch name {
            case .retry(let id): apply(id, .retry)
            case .again(let id): apply(id, .deviceChanged)
            case .watchdog(let id):
                guard let machine = resources[id]?.machine else { continue }
                apply(id, .overdue(machine.generation))
            case .tick(let id): tick(id)
            case .background:
                run(app.apply(.timer, now: now))
                stepApp()
            case .scene(let id): runTimers(id)
            case .close:
                isOverdue = true
            }
        }
        if isClosing { finishIfDone() }
    }

    func take(_ mail: Mail) {
        switch mail {
        case .newScene(let scene): scenes[scene.id] = SceneEntry(scene: scene)
        case .wish(let scene, let state): wish(scene, state)
        case .bind(let scene, let id, let handle, let threshold): bind(scene, id, handle, threshold)
        case .unbind(let id): unbind(id)
        case .unbindAll(let id): unbindAll(id)
        case .pause(let id, let reason, let isPaused, let cause): pause(id, reason, isPaused, by: cause)
        case .pauseAll(let reason, let isPaused): pauseAll(reason, isPaused)
        case .tell(let id, let event): tell(id, event)
        case .perform(let id, let action): resources[id]?.thread?.send(.perform(action))
        case .interruptionBegan(let id, let reason, let kind): interruptionBegan(id, reason, kind)
        case .interruptionEnded(let id, let reason, let shouldResume):
            interruptionEnded(id, reason, shouldResume: shouldResume)
        case .addObserver(let id, let observer): add(id, observer)
        case .removeObserver(let id, let observer): remove(id, observer)
        case .addAppObserver(let observer): add(observer)
        case .removeAppObserver(let observer): removeApp(observer)
        case .performWhenActive(let scene, let id, let block):
            guard scenes[scene]?.lifecycle.isEnded == false else { return }
            scenes[scene]?.blockBodies[id] = block
            scenes[scene]?.blocks.add(id)
            runBlocks(scene)
        case .cancelBlock(let scene, let id):
            if scenes[scene]?.blocks.cancel(id) == true { scenes[scene]?.blockBodies[id] = nil }
        case .addTimer(let scene, let id, let delay, let interval, let block):
            addTimer(scene, id, after: delay, every: interval, block)
        case .cancelTimer(let scene, let id): cancelTimer(scene, id)
        case .followPhase(let scene, let follower): follow(scene, follower)
        case .leavePhase(let scene, let token): leave(scene, token)
        case .awaitReleased(let scene, let continuation): awaitReleased(scene, continuation)
        case .subscribe(let yield, let finish):
            tell()
            if isClosing { finish() } else { subscribers.append((yield, finish)) }
        case .close(let done): close(done)
        case .claim(let id, let generation): claim(id, generation)
        case .focus(let id, let change, let turn): focusChanged(id, change, turn: turn)
        case .barrier(let done):
            tell()
            done()
        case .answer(let id, let answer): self.answer(id, answer)
        case .sceneCallbackReturned(let id):
            scenes[id]?.isCallingOut = false
            step(id)
        case .appCallbackReturned:
            isAppCallingOut = false
            stepApp()
        case .stored(let handle, let name, let position, let asked, let at):
            emit(.stored(name, position: position, asked: asked, at: at))
            tell(handle, .stored(position: position))
        }
    }

    // MARK: The end

    /// How long the end waits for callbacks: the most that observers are given to save.
    private static let callbackLimit = Duration.seconds(5)

    private func close(_ done: @escaping @Sendable () -> Void) {
        closing.append(done)
        guard !isClosing else { return }
        timers.start(.close, at: now + Self.callbackLimit)
        // The suspended ones first, which end in silence: an app that is told of its end by any scene is told of it.
        let ids = scenes.keys.sorted()
        func isSilent(_ id: SceneID) -> Bool { scenes[id]?.lifecycle.phase == .suspended }
        for id in ids.filter(isSilent) + ids.filter({ !isSilent($0) }) {
            if let scene = scenes[id]?.scene { wish(scene, .notRunning) }
        }
        for id in resources.keys.sorted() { unbind(id) }
        // Not sooner: the first scene that has ended would end the broker before the others are told.
        isClosing = true
        finishIfDone()
    }

    /// Ends the threads when nothing is held any more.
    func finishIfDone() {
        // Of a thread that the kernel holds nothing more can be had.
        guard isClosing, !isFinished, resources.values.allSatisfy(\.isStuck) else { return }
        // Also the steps that are still to be taken: they are told to those who watch.
        let isTold =
            !isAppCallingOut
            && scenes.values.allSatisfy { !$0.isCallingOut && !$0.isEnding && $0.lifecycle.isSettled }
        guard isTold || isOverdue else { return }
        isFinished = true
        if !isTold { configuration.log(.warning, "a callback has not returned within 5 s: the broker ends without it") }
        for (id, entry) in resources {
            configuration.log(.warning, "\(entry.handle.name) is stuck in the kernel: the broker ends without it")
            entry.handle.clear(token(id))
            // So that it ends when the kernel lets go of it.
            entry.thread?.send(.end)
        }
        tell()
        for (id, waiting) in waitingBinds {
            waiting.handle.clear(token(id))
            waiting.handle.turns.leave(token(id))
        }
        for subscriber in subscribers { subscriber.finish() }
        subscribers = []
        endFollowers()
        for (id, entry) in scenes {
            scenes[id]?.waiting = []
            for continuation in entry.waiting { continuation.resume(returning: entry.receipts) }
        }
        broker.callbacks.end()
        broker.forgetAll()
        for done in closing { done() }
    }
}
