/// What one bound resource is to do with its device: a value in, effects out.
///
/// It wants its device while no pause reason stands. The last wish wins: whatever the device's thread is doing when a wish
/// comes, the machine lets it end and then does what is wanted by then. Each acquire has a generation; an answer that
/// carries another one changes nothing. Each newly added pause reason is answered by exactly one receipt.
package struct ResourceMachine: Hashable, Sendable {
    /// What is under way.
    package enum Phase: Hashable, Sendable {
        case closed
        /// Wanted, nothing held. A timer runs unless the policy's time is over.
        case pendingOpen
        /// The device's thread is looking for the device.
        case resolving(Generation)
        /// The device is known; whoever has it has to let go first.
        case claiming(Generation)
        /// The device's thread is opening it.
        case opening(Generation)
        case open(Generation)
        case closing(Generation, isForced: Bool)
        /// The watchdog has forced a release and the kernel still holds the thread.
        case stuck(Generation)
    }

    /// A pause that waits for its receipt.
    package struct PendingPause: Hashable, Sendable {
        package var asked: MonotonicTime
        package var reasons: PauseReasons
    }

    package private(set) var phase = Phase.closed
    package private(set) var reasons: PauseReasons
    /// Why it is not open, or what was the matter last; nil while open.
    package private(set) var error: DeviceError?
    /// The generation of the newest acquire.
    package private(set) var generation = Generation(0)
    /// When the first of the present row of failures was.
    private var failingSince: MonotonicTime?
    private var pauses: [PendingPause] = []
    package let limits: Limits

    /// Deadlines of a resource.
    package struct Limits: Hashable, Sendable {
        package var retry = RetryPolicy()
        /// A release that takes longer is forced.
        package var watchdog = Duration.seconds(1)
        /// A forced release that takes longer is reported as stuck.
        package var stuck = Duration.seconds(1)
        package init() {}
    }

    package init(reasons: PauseReasons = PauseReasons(.lifecycle), limits: Limits = Limits()) {
        self.reasons = reasons
        self.limits = limits
    }

    package var isWanted: Bool { reasons.isEmpty }

    /// The phase in CameraX's words.
    package var state: ResourceState {
        switch phase {
        // An evicted resource waits like one whose device is busy.
        case .closed: reasons == PauseReasons(.evicted) ? .pendingOpen : .closed
        case .pendingOpen: .pendingOpen
        case .resolving, .claiming, .opening: .opening
        case .open: .open
        case .closing, .stuck: .closing
        }
    }

    package enum Event: Hashable, Sendable {
        /// A reason to pause has come up. Hurried: a deadline presses.
        case pause(PauseReason, hurried: Bool)
        /// A reason to pause is gone.
        case unpause(PauseReason)
        case resolved(Generation)
        case granted(Generation)
        case opened(Generation)
        case failed(Generation, DeviceError)
        case lost(Generation, DeviceError)
        case released(Generation, ReleaseDetail)
        /// The retry timer is due.
        case retry
        /// A device has appeared, changed, or been let go, that may be ours.
        case deviceChanged
        /// The watchdog of this release is due.
        case overdue(Generation)
    }

    package enum Effect: Hashable, Sendable {
        /// Tell the device's thread to find the device.
        case acquire(Generation)
        /// Ask the arbiter for the device that was found.
        case claim(Generation)
        /// Tell the device's thread to open it.
        case proceed(Generation)
        case release(Generation, ReleaseRequest)
        /// It no longer wants the device at all: others may have it as soon as it is given back.
        case withdraw
        /// It holds nothing now: the arbiter may hand the device on.
        case givenBack
        case startRetry(at: MonotonicTime)
        case stopRetry
        case startWatchdog(Generation, at: MonotonicTime)
        case stopWatchdog
        /// Stop the stream through a duplicate descriptor.
        case force(Generation)
        case receipt(PendingPause, released: MonotonicTime?, forced: Bool, stuck: Bool, ReleaseDetail)
        case stateChanged(ResourceState, DeviceError?)
    }

    /// Takes one event. *Runs on:* the broker's thread.
    package mutating func apply(_ event: Event, now: MonotonicTime) -> [Effect] {
        let before = (state, error)
        var effects: [Effect] = []
        switch event {
        case .pause(let reason, let hurried): pause(reason, hurried: hurried, now, &effects)
        case .unpause(let reason): unpause(reason, &effects)
        case .resolved(let answered): if phase == .resolving(answered) { claim(answered, &effects) }
        case .granted(let answered): if phase == .claiming(answered) { proceed(answered, &effects) }
        case .opened(let answered): if phase == .opening(answered) { opened(answered) }
        case .failed(let answered, let error), .lost(let answered, let error):
            fail(answered, error, now, &effects)
        case .released(let answered, let detail): released(answered, detail, &effects)
        case .retry, .deviceChanged: tryAgain(&effects)
        case .overdue(let answered): overdue(answered, now, &effects)
        }
        if (state, error) != before { effects.append(.stateChanged(state, error)) }
        return effects
    }

    private mutating func pause(
        _ reason: PauseReason, hurried: Bool, _ now: MonotonicTime, _ effects: inout [Effect]
    ) {
        guard !reasons.contains(reason) else { return }
        reasons.insert(PauseReasons(reason))
        let pause = PendingPause(asked: now, reasons: reasons)
        if reason != .evicted {
            // Without a claim there is nobody to be evicted by.
            reasons.remove(PauseReasons(.evicted))
            effects.append(.withdraw)
        }
        switch phase {
        case .resolving(let open), .claiming(let open), .opening(let open), .open(let open):
            pauses.append(pause)
            phase = .closing(open, isForced: false)
            effects.append(.release(open, ReleaseRequest(asked: now, hurried: hurried)))
            effects.append(.startWatchdog(open, at: now + limits.watchdog))
        case .closing:
            pauses.append(pause)
        case .stuck:
            effects.append(
                .receipt(pause, released: nil, forced: true, stuck: true, ReleaseDetail(released: nil)))
        case .pendingOpen, .closed:
            if phase == .pendingOpen { effects.append(.stopRetry) }
            phase = .closed
            effects.append(
                .receipt(pause, released: now, forced: false, stuck: false, ReleaseDetail(released: now)))
        }
    }

    private mutating func unpause(_ reason: PauseReason, _ effects: inout [Effect]) {
        guard reasons.contains(reason) else { return }
        reasons.remove(PauseReasons(reason))
        guard isWanted else { return }
        switch phase {
        case .closed:
            failingSince = nil
            acquire(&effects)
        case .closing, .stuck: break  // goes on when the release is through
        case .pendingOpen, .resolving, .claiming, .opening, .open:
            preconditionFailure("nothing is under way while a pause reason stands")
        }
    }

    private mutating func acquire(_ effects: inout [Effect]) {
        generation = generation.next
        phase = .resolving(generation)
        error = nil
        effects.append(.acquire(generation))
    }

    private mutating func claim(_ answered: Generation, _ effects: inout [Effect]) {
        phase = .claiming(answered)
        effects.append(.claim(answered))
    }

    private mutating func proceed(_ answered: Generation, _ effects: inout [Effect]) {
        phase = .opening(answered)
        effects.append(.proceed(answered))
    }

    private mutating func opened(_ answered: Generation) {
        phase = .open(answered)
        error = nil
        failingSince = nil
    }

    private mutating func fail(
        _ answered: Generation, _ error: DeviceError, _ now: MonotonicTime, _ effects: inout [Effect]
    ) {
        switch phase {
        case .resolving(answered), .claiming(answered), .opening(answered), .open(answered):
            self.error = error
            effects.append(.givenBack)
            guard error.isRecoverable else {
                phase = .closed
                effects.append(.withdraw)
                return
            }
            phase = .pendingOpen
            let since = failingSince ?? now
            failingSince = since
            if let delay = limits.retry.delay(after: now - since) { effects.append(.startRetry(at: now + delay)) }
        case .closed, .pendingOpen, .resolving, .claiming, .opening, .open, .closing, .stuck:
            break  // of an earlier acquire, or called off: its release is answered as well
        }
    }

    private mutating func released(_ answered: Generation, _ detail: ReleaseDetail, _ effects: inout [Effect]) {
        switch phase {
        case .closing(answered, let isForced):
            effects.append(.stopWatchdog)
            for pause in pauses {
                // Asked for when the device was back already and its answer still on the way: then it is back at once.
                let released = detail.released.map { max($0, pause.asked) }
                effects.append(.receipt(pause, released: released, forced: isForced, stuck: false, detail))
            }
            pauses = []
        case .stuck(answered): break  // its receipts are out
        case .closed, .pendingOpen, .resolving, .claiming, .opening, .open, .closing, .stuck: return
        }
        phase = .closed
        effects.append(.givenBack)
        if isWanted { acquire(&effects) }
    }

    private mutating func tryAgain(_ effects: inout [Effect]) {
        guard isWanted else { return }
        switch phase {
        case .pendingOpen:
            effects.append(.stopRetry)
            acquire(&effects)
        case .closed:
            acquire(&effects)  // failed for good, but the world has changed
        case .resolving, .claiming, .opening, .open, .closing, .stuck: break
        }
    }

    private mutating func overdue(_ answered: Generation, _ now: MonotonicTime, _ effects: inout [Effect]) {
        switch phase {
        case .closing(answered, isForced: false):
            phase = .closing(answered, isForced: true)
            effects.append(.force(answered))
            effects.append(.startWatchdog(answered, at: now + limits.stuck))
        case .closing(answered, isForced: true):
            phase = .stuck(answered)
            for pause in pauses {
                effects.append(
                    .receipt(pause, released: nil, forced: true, stuck: true, ReleaseDetail(released: nil)))
            }
            pauses = []
        case .closed, .pendingOpen, .resolving, .claiming, .opening, .open, .closing, .stuck: break
        }
    }
}
