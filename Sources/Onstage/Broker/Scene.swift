public import OnstageCore
internal import Synchronization

/// When a bound resource is held.
public enum BindingThreshold: String, Hashable, Sendable, CaseIterable {
    /// While the scene is active: acquired on resume, released on pause.
    case active
    /// While the scene is active or inactive, as CameraX really does.
    case visible
    /// In every state but suspended and not running: for background audio.
    case always

    /// Whether a scene in `state` holds what is bound this way.
    package func holds(in state: LifecycleState) -> Bool {
        switch (self, state) {
        case (.active, .active), (.visible, .active), (.visible, .inactive): true
        case (.always, .active), (.always, .inactive), (.always, .background): true
        case (_, .notRunning), (_, .suspended), (.active, .inactive), (.active, .background), (.visible, .background):
            false
        }
    }
}

/// Why a binding was refused; nothing has changed.
public enum BindingError: Error, Hashable, Sendable {
    /// The resource is bound to the scene that is named.
    case boundElsewhere(scene: String)
    /// The scene has ended; make a new one.
    case sceneEnded(scene: String)
}

extension BindingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .boundElsewhere(let scene): "the resource is bound to scene \"\(scene)\" already; unbind it there first"
        case .sceneEnded(let scene): "scene \"\(scene)\" has ended; make a new one"
        }
    }
}

struct SceneID: Hashable, Sendable, Comparable {
    let number: UInt32
    static func < (a: SceneID, b: SceneID) -> Bool { a.number < b.number }
}

/// One thing on the screen that a person looks at, or not.
///
/// All wishes may be called from any thread and from inside callbacks; they return at once and are carried out in the
/// order of the calls. A skipped state is visited on the way.
public final class Scene: Sendable {
    struct Shared: Sendable {
        var phase = LifecycleState.notRunning
        var isEnded = false
        /// Its clock, and what goes by it.
        var timers = SceneTimers()
        var shades: [any ShadeSink] = []
        var isShaded = false
        /// Answers of the pause that its end was.
        var lastReceipts: [ReleaseReceipt] = []
    }

    /// Its name in receipts, events and the report.
    public let name: String
    let id: SceneID
    let broker: Broker
    let shared = Mutex(Shared())

    init(name: String, id: SceneID, broker: Broker) {
        self.name = name
        self.id = id
        self.broker = broker
    }

    /// Where the scene stands. *Runs on:* any thread; a snapshot.
    public var phase: LifecycleState { shared.withLock { $0.phase } }

    // MARK: Wishes

    /// Wishes the scene active: what is bound is acquired, all at the same time. iOS: a tap on the app's icon; Android:
    /// `onResume`.
    public func resume() { wish(.active) }

    /// Wishes the scene inactive: what is bound `.active` is released, all at the same time. Android: `onPause`.
    ///
    /// Called inside a callback it shows the scene's shades before it returns.
    public func pause() { wish(.inactive) }

    /// Wishes the scene into the background. Android: `onStop`.
    public func enterBackground() { wish(.background) }

    /// Wishes the scene suspended: nothing of it runs, `.always` included.
    public func suspend() { wish(.suspended) }

    /// Wishes the scene to end, for good.
    public func end() { wish(.notRunning) }

    /// Wishes the scene to stand at `state` in the end.
    public func wish(_ state: LifecycleState) {
        if state != .active, broker.callbacks.isCurrent, phase == .active { showShades() }
        if state == .notRunning { shared.withLock { $0.isEnded = true } }
        broker.decider.send(.wish(self, state))
    }

    /// An interruption begins: it pauses what is bound, or the kind that it names, and does not move the state.
    public func interruptionBegan(_ reason: String, _ kind: ResourceKind? = nil) {
        broker.decider.send(.interruptionBegan(id, reason, kind))
    }

    /// An interruption ends. One that should not resume leaves playback paused as by the user.
    public func interruptionEnded(_ reason: String? = nil, shouldResume: Bool) {
        broker.decider.send(.interruptionEnded(id, reason, shouldResume: shouldResume))
    }

    // MARK: Binding

    /// Binds a resource to this scene. Binding again what is bound here already does nothing.
    /// - Throws: `boundElsewhere`, `sceneEnded`.
    public func bind(_ resource: some Resource, while threshold: BindingThreshold = .active) throws(BindingError) {
        let handle = resource.handle
        guard !shared.withLock({ $0.isEnded }) else { throw .sceneEnded(scene: name) }
        let outcome: Result<ResourceID?, BindingError> = handle.binding.withLock { binding in
            if let bound = binding {
                if bound.scene === self { return .success(nil) }
                guard bound.scene.shared.withLock({ $0.isEnded }) else {
                    return .failure(.boundElsewhere(scene: bound.scene.name))
                }
                // The end of that scene takes it off; it need not have come so far.
                bound.broker.decider.send(.unbind(bound.resource))
            }
            let resource = broker.nextResource()
            binding = ResourceHandle.Binding(scene: self, resource: resource)
            return .success(resource)
        }
        guard let resource = try outcome.get() else { return }
        handle.onBind?(handle, name)
        broker.decider.send(.bind(self, resource, handle, threshold))
    }

    /// Takes a resource off this scene; it is released if it is held. Does nothing when it is not bound here.
    public func unbind(_ resource: some Resource) {
        let handle = resource.handle
        let bound = handle.binding.withLock { binding -> ResourceID? in
            guard let bound = binding, bound.scene === self else { return nil }
            binding = nil
            return bound.resource
        }
        guard let bound else { return }
        broker.decider.send(.unbind(bound))
    }

    /// Takes everything off this scene.
    public func unbindAll() {
        broker.decider.send(.unbindAll(id))
    }

    // MARK: Observing

    /// Registers an observer; it catches up with where the scene stands, step by step. Adding it again does nothing.
    public func add(_ observer: any SceneObserver) {
        broker.decider.send(.addObserver(id, observer))
    }

    /// Takes an observer away; nothing is told to it any more, also not of the way it stands.
    public func remove(_ observer: any SceneObserver) {
        broker.decider.send(.removeObserver(id, ObjectIdentifier(observer)))
    }

    /// Adds something that shows a shade while the scene is not active.
    public func add(_ shade: any ShadeSink) {
        shared.withLock { shared in
            if !shared.shades.contains(where: { $0 === shade }) { shared.shades.append(shade) }
        }
    }

    /// Takes a shade sink away.
    public func remove(_ shade: any ShadeSink) {
        shared.withLock { $0.shades.removeAll { $0 === shade } }
    }

    /// Runs a block exactly once: at once if the scene is active, else at its next activation. *Runs on:* the callback
    /// executor.
    @discardableResult
    public func performWhenActive(_ block: @escaping @Sendable () -> Void) -> DeferredBlock {
        let deferred = DeferredBlock(id: broker.nextBlock(), scene: id, broker: broker)
        broker.decider.send(.performWhenActive(id, deferred.id, block))
        return deferred
    }

    /// Waits until every pause asked for so far has been answered, and gives the answers of the last.
    ///
    /// A resource that the kernel holds is reported as stuck after its watchdog's time; this never waits longer than that.
    public var released: [ReleaseReceipt] {
        get async {
            await withCheckedContinuation { continuation in
                broker.decider.send(.awaitReleased(self, continuation))
            }
        }
    }

    var lastReceipts: [ReleaseReceipt] { shared.withLock { $0.lastReceipts } }

    /// Shows the shades that do not stand yet. *Runs on:* the callback executor.
    func showShades() {
        let shades = shared.withLock { shared -> [any ShadeSink] in
            guard !shared.isShaded else { return [] }
            shared.isShaded = true
            return shared.shades
        }
        for shade in shades { shade.showShade() }
    }

    /// Takes the shades away. *Runs on:* the callback executor.
    func hideShades() {
        let shades = shared.withLock { shared -> [any ShadeSink] in
            guard shared.isShaded else { return [] }
            shared.isShaded = false
            return shared.shades
        }
        for shade in shades { shade.hideShade() }
    }
}

/// A block that waits for a scene to become active.
public struct DeferredBlock: Sendable {
    let id: DeferredBlockID
    let scene: SceneID
    let broker: Broker

    /// Calls it off; without effect when it has run.
    public func cancel() {
        broker.decider.send(.cancelBlock(scene, id))
    }
}
