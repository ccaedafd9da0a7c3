public import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// Holds devices for scenes while they are on stage, and gives them back when they are not.
///
///     let broker = try Broker()
///     let scene = broker.scene("main")
///     try scene.bind(camera)
///     scene.resume()
///
/// One thread of its own decides; each device has a thread; callbacks run on an executor of the app's choice. No call
/// waits for a device. It lives, and holds what it holds, until ``close()``, also when nobody has a reference to it.
public final class Broker: Sendable {
    /// What can be set when a broker is made.
    public struct Configuration: Sendable {
        /// Where callbacks run.
        public var callbacks = CallbackExecutor.broker
        /// How long the app's own background event is held back, 0…5 s: leaving and coming back within it emits nothing.
        public var backgroundDelay = Duration.milliseconds(700)
        /// A release that takes longer is forced, 1 ms … 1 h.
        public var releaseWatchdog = Duration.seconds(1)
        /// What the library has to say, a line each; the library itself writes nowhere. *Runs on:* any thread.
        public var log: @Sendable (LogLevel, String) -> Void = { _, _ in }
        package var clock: any MonotonicClock = SystemClock()
        package var retry = RetryPolicy()
        /// Whose players its players share the sound with.
        package var focus = FocusHub.process

        public init() {}
    }

    private struct Registry: Sendable {
        var scenes: [String: Scene] = [:]
        var names: [SceneID: String] = [:]
        var nextScene: UInt32 = 0
        var nextResource: UInt32 = 0
        var nextBlock: UInt32 = 0
        var nextTimer: UInt64 = 0
        var isClosed = false
    }

    /// A watchdog of nothing would force every release, and report a device as stuck before its thread has looked.
    private static let watchdogs: ClosedRange<Duration> = .milliseconds(1) ... .seconds(3600)

    let decider: Decider
    let callbacks: CallbackRunner
    private let registry = Mutex(Registry())
    let clock: any MonotonicClock
    let appPhase = Mutex(LifecycleState.notRunning)

    /// Makes a broker and starts its threads; no device is touched.
    /// - Throws: `tooMany` when the kernel gives no thread or descriptor; `configuration` for a delay outside of 0…5 s or a
    ///   watchdog outside of 1 ms … 1 h.
    public init(_ configuration: Configuration = Configuration()) throws(DeviceError) {
        guard AppLifecycle.backgroundDelays.contains(configuration.backgroundDelay) else {
            throw DeviceError(
                .configuration, operation: "", device: "broker",
                reason: "a background delay of \(configuration.backgroundDelay) is outside of 0…5 s")
        }
        guard Self.watchdogs.contains(configuration.releaseWatchdog) else {
            throw DeviceError(
                .configuration, operation: "", device: "broker",
                reason: "a release watchdog of \(configuration.releaseWatchdog) is outside of 1 ms … 1 h",
                advice: "the default is 1 s")
        }
        clock = configuration.clock
        callbacks = try CallbackRunner(configuration.callbacks)
        do throws(DeviceError) {
            decider = try Decider()
        } catch {
            callbacks.end()
            throw error
        }
        do throws(DeviceError) {
            try decider.start(self, configuration)
        } catch {
            callbacks.end()
            throw error
        }
    }

    /// The scene of that name; made when there is none, or when the one that had it has ended. After ``close()`` all of
    /// them have.
    public func scene(_ name: String) -> Scene {
        registry.withLock { registry in
            if let scene = registry.scenes[name], !scene.shared.withLock({ $0.isEnded }) { return scene }
            registry.nextScene += 1
            let scene = Scene(name: name, id: SceneID(number: registry.nextScene), broker: self)
            guard !registry.isClosed else {
                scene.shared.withLock { $0.isEnded = true }
                return scene
            }
            registry.scenes[name] = scene
            registry.names[scene.id] = name
            decider.send(.newScene(scene))
            return scene
        }
    }

    /// Where the app stands: derived from its scenes. *Runs on:* any thread; a snapshot.
    public var phase: LifecycleState { appPhase.withLock { $0 } }

    /// What happens from now on, in order. Each reader has its own sequence; one that does not keep up loses the oldest of
    /// more than 4,096 events.
    public var events: some AsyncSequence<BrokerEvent, Never> & Sendable {
        AsyncStream(BrokerEvent.self, bufferingPolicy: .bufferingNewest(4096)) { continuation in
            decider.send(
                .subscribe {
                    if case .terminated = continuation.yield($0) { false } else { true }
                } finish: {
                    continuation.finish()
                })
        }
    }

    /// Registers an observer of the app's lifecycle.
    public func add(_ observer: any AppObserver) {
        decider.send(.addAppObserver(observer))
    }

    /// Takes an observer of the app's lifecycle away.
    public func remove(_ observer: any AppObserver) {
        decider.send(.removeAppObserver(ObjectIdentifier(observer)))
    }

    /// Adds or takes away a reason to pause that concerns everything: `screenOff` or `systemSleep`. The others have owners of
    /// their own and cannot be had this way: they are left as they are.
    public func pauseAll(_ reason: PauseReason, _ isPaused: Bool) {
        guard reason == .screenOff || reason == .systemSleep else { return }
        decider.send(.pauseAll(reason, isPaused))
    }

    /// Ends all scenes, gives everything back and ends the broker's threads; waits for that, but for no stuck kernel call.
    public func close() async {
        await withCheckedContinuation { continuation in
            decider.send(.close { continuation.resume() })
        }
    }

    /// As ``close()``, telling the end by a call on the broker's thread.
    package func close(_ done: @escaping @Sendable () -> Void) {
        decider.send(.close(done))
    }

    /// Hands each event to `observe`, in order, on the deciding thread: it must not wait.
    package func observe(_ observe: @escaping @Sendable (BrokerEvent) -> Void) {
        decider.send(
            .subscribe {
                observe($0)
                return true
            } finish: {
            })
    }

    /// Calls `done` on the deciding thread when every wish before has been decided and its events have been handed out: it
    /// must not wait. Never called when the broker is closed before.
    package func afterWishes(_ done: @escaping @Sendable () -> Void) {
        decider.send(.barrier(done))
    }

    func nextResource() -> ResourceID {
        registry.withLock { registry in
            registry.nextResource += 1
            return ResourceID(registry.nextResource)
        }
    }

    func nextBlock() -> DeferredBlockID {
        registry.withLock { registry in
            registry.nextBlock += 1
            return DeferredBlockID(registry.nextBlock)
        }
    }

    func nextTimer() -> SceneTimerID {
        registry.withLock { registry in
            registry.nextTimer += 1
            return SceneTimerID(registry.nextTimer)
        }
    }

    /// A scene has ended: its name is free.
    func forget(_ scene: Scene) {
        registry.withLock { registry in
            registry.names[scene.id] = nil
            if registry.scenes[scene.name] === scene { registry.scenes[scene.name] = nil }
        }
    }

    /// The broker has ended. It and its scenes hold each other.
    func forgetAll() {
        registry.withLock { registry in
            registry.isClosed = true
            registry.scenes = [:]
        }
    }

    func sceneName(_ id: SceneID) -> String {
        registry.withLock { $0.names[id] ?? "" }
    }
}
