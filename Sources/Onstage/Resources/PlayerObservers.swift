internal import OnstageCore
internal import OnstagePlayback
internal import Synchronization

/// Who is told of a player, and what has been told last.
///
/// States are derived on the broker's deciding thread alone, so that each observer hears them in the order in which they were.
final class PlayerObservers: Sendable {
    typealias Sink = @Sendable (PlayerEvent, Broker) -> Void

    private struct Observer: Sendable {
        let id: UInt64
        var interval: Duration?
        var sink: Sink
        var nextTick: MonotonicTime?
        /// It has been told the state, with which everything begins.
        var isBegun = false
    }

    private struct State: Sendable {
        /// In the order in which they came. No dictionary: its type is made at first use, in the midst of a pause.
        var observers: [Observer] = []
        var nextID: UInt64 = 0
        var told = PlayerState.idle
        var isBound = false
        /// Sound has come since its device was opened.
        var isHeard = false
        var isWaiting = false
        /// Its end was heard, and whether that keeps it from running already.
        var hasEnded = false
        var isFinished = false
        var isStopped = false
        /// As it was told last; as a player begins.
        var toldPlayWhenReady = false
    }

    /// What is left of the volume while another is heard over it: Media3's.
    private static let duck = 0.2

    private let state = Mutex(State())
    private let controls: PlaybackControls

    init(_ controls: PlaybackControls) {
        self.controls = controls
    }

    /// What was told last. *Runs on:* any thread.
    var told: PlayerState { state.withLock { $0.told } }

    /// Whether it was stopped, and not begun since. *Runs on:* any thread.
    var isStopped: Bool {
        get { state.withLock { $0.isStopped } }
        set { state.withLock { $0.isStopped = newValue } }
    }

    func add(_ interval: Duration?, _ handle: ResourceHandle, _ sink: @escaping Sink) -> UInt64 {
        let id = state.withLock { state in
            state.nextID += 1
            state.observers.append(Observer(id: state.nextID, interval: interval, sink: sink))
            return state.nextID
        }
        setTick(handle)
        return id
    }

    func remove(_ id: UInt64, _ handle: ResourceHandle) {
        state.withLock { $0.observers.removeAll { $0.id == id } }
        setTick(handle)
    }

    /// The broker's timer is as fast as the fastest observer's.
    private func setTick(_ handle: ResourceHandle) {
        let fastest = state.withLock { $0.observers.compactMap(\.interval).min() }
        handle.tick.withLock { $0 = fastest }
        handle.tell(.watched)
    }

    // MARK: On the deciding thread

    func take(_ event: ResourceEvent, _ handle: ResourceHandle, _ broker: Broker) {
        switch event {
        case .bound:
            state.withLock { $0.isBound = true }
            tellState(handle, broker)
            tellPlayWhenReady(handle, broker)
            return tell(.position(controls.position), broker)
        case .unbound: state.withLock { $0.isBound = false }
        case .changed:
            let snapshot = handle.snapshot
            state.withLock { state in
                if snapshot.state != .open { (state.isHeard, state.isWaiting) = (false, false) }
                let isFinished = snapshot.reasons.contains(.finished)
                if state.isFinished, !isFinished { state.hasEnded = false }
                state.isFinished = isFinished
            }
            tellPlayWhenReady(handle, broker)
        case .waiting(let isWaiting): state.withLock { $0.isWaiting = isWaiting }
        case .first: state.withLock { $0.isHeard = true }
        case .ended:
            state.withLock { $0.hasEnded = true }
            tell(.ended, broker)
        case .released(let receipt):
            tellState(handle, broker)
            tell(.released(receipt), broker)
            guard let position = receipt.detail.position else { return }
            if controls.position != position { keepPosition(handle) }
            return tell(.position(position), broker)
        case .stored(let position): return tell(.stored(position: position), broker)
        case .recovered(let error): return tell(.recovered(error), broker)
        case .note(let text): return tell(.note(text), broker)
        case .tick: return tick(broker)
        case .sought:
            if handle.snapshot.state != .open { keepPosition(handle) }
            tellState(handle, broker)
            return tell(.position(controls.position), broker)
        case .restored:
            tellState(handle, broker)
            return tell(.position(controls.position), broker)
        case .focus(let change):
            takeFocus(change, handle)
            tell(.focus(change), broker)
        case .watched: break
        }
        tellState(handle, broker)
    }

    /// How loud it may be.
    private func takeFocus(_ change: FocusChange, _ handle: ResourceHandle) {
        let duck: Double
        switch change {
        case .gained: duck = 1
        case .ducked: duck = Self.duck
        case .lostTransiently, .lost: return  // it falls silent, at the volume it has
        }
        guard controls.duck != duck else { return }
        controls.duck = duck
        handle.wakeDevice()  // a long ring is not played out first
    }

    private func tellPlayWhenReady(_ handle: ResourceHandle, _ broker: Broker) {
        let snapshot = handle.snapshot
        let isReady = !snapshot.reasons.contains(.user)
        let isNew = state.withLock { state in
            defer { state.toldPlayWhenReady = isReady }
            return state.toldPlayWhenReady != isReady
        }
        if isNew { tell(.playWhenReady(isReady, snapshot.cause), broker) }
    }

    /// Journals where a wish has gone while nothing is open: no pause and no interval will.
    private func keepPosition(_ handle: ResourceHandle) {
        guard let scene = handle.binding.withLock({ $0?.scene.name }) else { return }
        handle.journal?.record(controls.position, scene: scene, stored: nil)
    }

    private func tellState(_ handle: ResourceHandle, _ broker: Broker) {
        let snapshot = handle.snapshot
        let (now, told) = state.withLock { state in
            let now = Self.derive(snapshot, state)
            defer {
                state.told = now
                for index in state.observers.indices { state.observers[index].isBegun = true }
            }
            return (now, state.observers.filter { !$0.isBegun || state.told != now })
        }
        hand(.state(now), to: told, broker)
    }

    private static func derive(_ snapshot: ResourceHandle.Snapshot, _ state: State) -> PlayerState {
        guard state.isBound else { return .idle }
        if state.hasEnded { return .ended }
        if state.isStopped { return .idle }
        var reasons = snapshot.reasons
        // Another scene's claim is waited for like a device that another program has.
        reasons.remove(PauseReasons(.evicted))
        if reasons == PauseReasons(.preparing) { return .opening(waitingFor: nil) }
        reasons.remove(PauseReasons(.preparing))
        guard reasons.isEmpty else { return .paused(reasons) }
        switch snapshot.state {
        case .open: return state.isWaiting ? .buffering : state.isHeard ? .playing : .opening(waitingFor: nil)
        case .pendingOpen: return .opening(waitingFor: snapshot.error)
        case .opening, .closing: return .opening(waitingFor: nil)
        case .closed:
            if let error = snapshot.error, !error.isRecoverable { return .failed(error) }
            return .opening(waitingFor: nil)
        }
    }

    private func tick(_ broker: Broker) {
        let now = broker.clock.now
        let due = state.withLock { state in
            guard state.told == .playing else { return [Observer]() }
            var due: [Observer] = []
            for (index, observer) in state.observers.enumerated() where observer.isBegun {
                guard let interval = observer.interval else { continue }
                // The timer is the fastest one's: a slower one takes the tick that is nearest to its time.
                guard observer.nextTick.map({ $0 <= now + .milliseconds(1) }) ?? true else { continue }
                state.observers[index].nextTick = now + interval
                due.append(observer)
            }
            return due
        }
        hand(.position(controls.position), to: due, broker)
    }

    private func tell(_ event: PlayerEvent, _ broker: Broker) {
        hand(event, to: state.withLock { $0.observers.filter(\.isBegun) }, broker)
    }

    /// No lock is held while calling out.
    private func hand(_ event: PlayerEvent, to observers: [Observer], _ broker: Broker) {
        for observer in observers { observer.sink(event, broker) }
    }
}
