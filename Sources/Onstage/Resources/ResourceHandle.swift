package import OnstageCore
package import Synchronization

/// What the broker knows of a resource; apps only hand it on.
public final class ResourceHandle: Sendable {
    /// What any thread may read of a resource.
    struct Snapshot: Sendable {
        var state = ResourceState.closed
        var error: DeviceError?
        var reasons = PauseReasons(.lifecycle)
        var device: ResolvedDevice?
        /// Who gave, or took, the user's reason.
        var cause = PlayWhenReadyReason.user
    }

    /// How it takes part in the focus.
    package struct FocusRole: Sendable {
        let focus: AudioFocus
        /// Whether it is paused so that it will not be heard for long.
        let isStopped: @Sendable () -> Bool
    }

    /// Who holds the binding.
    struct Binding: Sendable {
        var scene: Scene
        var resource: ResourceID
        var broker: Broker { scene.broker }
        var token: Token { Token(resource, broker) }
    }

    /// One binding among those of all brokers: each of them counts its resources from 1.
    struct Token: Hashable, Sendable {
        private let resource: ResourceID
        private let broker: ObjectIdentifier

        init(_ resource: ResourceID, _ broker: Broker) {
            self.resource = resource
            self.broker = ObjectIdentifier(broker)
        }
    }

    /// Its name in receipts, events and the report ("camera", "accelerometer").
    package let name: String
    /// The family that an interruption may name.
    package let kind: ResourceKind
    /// Reasons to pause that stand from the beginning, besides the lifecycle (a player that was not told to play).
    package let standingReasons: Mutex<PauseReasons>
    /// Where its position is kept, if it has one that is to outlive the process.
    package let journal: (any PositionJournal)?
    /// Nil where it shares the sound with everybody.
    let focus: FocusRole?
    /// Whether it pauses, as by the user, when its device goes away.
    let pausesWhenNoisy: Bool
    /// Called with the scene's name right before it is bound: may add reasons that it takes away later. Never waits.
    let onBind: (@Sendable (ResourceHandle, String) -> Void)?
    /// Hears what happens to it, on the deciding thread.
    let onEvent: (@Sendable (ResourceEvent, ResourceHandle, Broker) -> Void)?
    /// How often it is told ``ResourceEvent/tick`` while its device is open; nil for never. After a change: ``ResourceEvent/watched``.
    let tick = Mutex<Duration?>(nil)
    /// Makes the driver, on the device's thread.
    let makeDriver: @Sendable (@escaping DriverReporter) -> any DeviceDriver
    let state = Mutex(Snapshot())
    let binding = Mutex<Binding?>(nil)
    let turns = BindingTurns()
    private let driver = Mutex<DriverReference?>(nil)
    /// Counted by drivers of earlier bindings.
    private let counted = Mutex(DriverCounts())

    /// A driver, for the two members that any thread may use.
    ///
    /// Unchecked: `counts` and `force` are made for any thread (``DeviceDriver``), and nothing else is reached through it.
    private struct DriverReference: @unchecked Sendable {
        let driver: any DeviceDriver
    }

    /// - Parameters:
    ///   - name: its name in receipts, events and the report.
    ///   - kind: the family that an interruption may name.
    ///   - journal: where its position is kept.
    ///   - focus: how it takes part in the focus; nil for not at all.
    ///   - pausesWhenNoisy: whether it pauses, as by the user, when its device goes away.
    ///   - onBind: called with the scene's name right before it is bound.
    ///   - onEvent: hears what happens to it, on the deciding thread.
    ///   - makeDriver: makes the driver; called on the device's thread each time the resource is bound.
    package init(
        name: String, kind: ResourceKind, reasons: PauseReasons = [], journal: (any PositionJournal)? = nil,
        focus: FocusRole? = nil, pausesWhenNoisy: Bool = false,
        onBind: (@Sendable (ResourceHandle, String) -> Void)? = nil,
        onEvent: (@Sendable (ResourceEvent, ResourceHandle, Broker) -> Void)? = nil,
        makeDriver: @escaping @Sendable (@escaping DriverReporter) -> any DeviceDriver
    ) {
        self.onEvent = onEvent
        self.name = name
        self.kind = kind
        self.journal = journal
        self.focus = focus
        self.pausesWhenNoisy = pausesWhenNoisy
        self.onBind = onBind
        standingReasons = Mutex(reasons)
        self.makeDriver = makeDriver
    }

    /// Makes the driver of a new binding. *Runs on:* the device's thread.
    func adoptDriver(_ report: @escaping DriverReporter) -> any DeviceDriver {
        let made = makeDriver(report)
        let reference = DriverReference(driver: made)
        let old = driver.withLock { current in
            defer { current = reference }
            return current
        }
        if let old { counted.withLock { $0 = $0 + old.driver.counts } }
        return made
    }

    /// Counted over all its bindings. *Runs on:* any thread.
    package var counts: DriverCounts {
        let now = driver.withLock { $0 }?.driver.counts ?? DriverCounts()
        return counted.withLock { $0 } + now
    }

    /// Stops its stream through a duplicate descriptor. *Runs on:* the deciding thread.
    func force() {
        driver.withLock { $0 }?.driver.force()
    }

    var snapshot: Snapshot { state.withLock { $0 } }

    /// Whether this is the binding that stands.
    func holds(_ token: Token) -> Bool {
        binding.withLock { $0?.token == token }
    }

    /// Ends the binding if it is this one still.
    func clear(_ token: Token) {
        binding.withLock { if $0?.token == token { $0 = nil } }
    }

    /// Adds or takes away a reason to pause; remembered while the resource is not bound. Never waits.
    package func pause(_ reason: PauseReason, _ isPaused: Bool) {
        pause(reason, isPaused, by: .user)
    }

    /// The same, with what is told of the user's reason.
    func pause(_ reason: PauseReason, _ isPaused: Bool, by cause: PlayWhenReadyReason) {
        // Sent under the lock: what stands here in the end is what the broker was told last, whoever else wishes.
        standingReasons.withLock { reasons in
            if isPaused { reasons.insert(PauseReasons(reason)) } else { reasons.remove(PauseReasons(reason)) }
            guard let bound = binding.withLock({ $0 }) else { return }
            bound.broker.decider.send(.pause(bound.resource, reason, isPaused, by: cause))
        }
    }

    /// Has it told something by the deciding thread; dropped while not bound. Never waits.
    func tell(_ event: ResourceEvent) {
        guard let bound = binding.withLock({ $0 }) else { return }
        bound.broker.decider.send(.tell(bound.resource, event))
    }

    /// Has the driver look at what is wished of it: the device's thread takes a turn. Never waits.
    package func wakeDevice() {
        perform { _ in }
    }

    /// Hands a wish to the driver, on the device's thread, in the order of the calls; dropped while not bound.
    package func perform(_ action: @escaping @Sendable (any DeviceDriver) -> Void) {
        guard let bound = binding.withLock({ $0 }) else { return }
        bound.broker.decider.send(.perform(bound.resource, action))
    }
}
