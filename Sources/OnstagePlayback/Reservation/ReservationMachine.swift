internal import OnstageCore

/// Who has a sound card among the programs of a session, and what is to be done about it: a value in, effects out.
///
///     free → looking → asking → naming → held → free      its owner lets go; we give it back when our device is closed
///     looking → free                                      nobody answers for the card
///     looking | asking | naming → waiting → free          its owner does not let go; free when nobody has it any more
///     held → yielding → yielded → waiting → free          somebody worth more asks us: our device is closed, then they are told
///
/// `org.freedesktop.ReserveDevice1`: who has the card owns a name on the bus; who wants it asks the owner first, and takes the
/// name when that says yes. The name is ours only while our device is open, or about to be.
struct ReservationMachine: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        case free
        /// Who has the name is asked of the bus.
        case looking(ticket: UInt64)
        /// The owner has been asked to let go.
        case asking(ticket: UInt64, owner: String)
        /// The owner has let go, or is gone: the name is being taken.
        case naming(ticket: UInt64, owner: String)
        case held
        /// We have been asked, or the name was taken from us: our device is being closed.
        case yielding
        /// Those who asked have been told. The name stays ours until they take it: nobody else may come between.
        case yielded
        /// Somebody has the name who does not let go. Outranked: the device is not opened before they have.
        case waiting(isOutranked: Bool)
    }

    enum Event: Hashable, Sendable {
        /// The device was busy, and is wanted.
        case ask(ticket: UInt64)
        /// Our device is closed, or is not wanted any more.
        case giveBack
        /// What the bus says of the name's owner.
        case owner(String?)
        /// The owner's answer.
        case answered(Bool)
        /// The owner did not answer, and why.
        case unanswered(String)
        /// The owner has ended without an answer.
        case ended
        /// Whether the bus gave us the name.
        case named(Bool)
        /// Another program asks us to let go.
        case requested(priority: Int32)
        /// The name has gone to another connection, or to nobody.
        case taken
        case vacant
        /// Those whom we gave way to have not taken the name in time.
        case due
        case disconnected
    }

    enum Outcome: Hashable, Sendable {
        /// The name is ours. Said: the owner let go; else it ended while it was asked.
        case granted(wasSaid: Bool)
        /// Nobody has the name.
        case nobody
        /// Its owner keeps it, and why.
        case refused(String)
    }

    enum Effect: Hashable, Sendable {
        /// Ask the bus who has the name.
        case look
        case request(owner: String)
        /// Replacing: also where somebody else has it.
        case takeName(replacing: Bool)
        case dropName
        /// What was asked for under way is not wanted any more.
        case callOff
        case tell(ticket: UInt64, Outcome)
        /// Answer the one who asks now: at once, or when our device is closed (`owe`).
        case answerNow(Bool)
        case owe
        /// Answer those whose answer is owed: yes.
        case pay
        /// The device's thread has to close its device.
        case yield(isForced: Bool)
        /// Those who asked get this long to take the name.
        case startTimer
        /// The card may be had again.
        case available
    }

    private(set) var phase = Phase.free
    /// The name is ours on the bus.
    private(set) var hasName = false
    let priority: Int32
    /// Who refused last, and when: not asked at each try.
    private var refusal: Refusal?
    /// Who is asked has said yes; else it has ended.
    private var wasSaid = false
    /// Who is asked has left the name already, and its answer is on its way (PulseAudio does it in this order).
    private var hasLeft = false

    private struct Refusal: Hashable, Sendable {
        var owner: String
        var at: MonotonicTime
        var why: String
    }

    /// How long one who refused is left alone.
    static let patience = Duration.seconds(5)

    init(priority: Int32) {
        self.priority = priority
    }

    /// Whether the device is not to be opened, though it may be free at this moment.
    var isBarred: Bool {
        switch phase {
        case .yielding, .yielded, .waiting(isOutranked: true): true
        case .free, .looking, .asking, .naming, .held, .waiting(isOutranked: false): false
        }
    }

    mutating func apply(_ event: Event, now: MonotonicTime) -> [Effect] {
        switch event {
        case .ask(let ticket): ask(ticket)
        case .giveBack: giveBack()
        case .owner(let owner): found(owner, now)
        case .answered(let isReleased): isReleased ? released(wasSaid: true) : refused("it refused", now)
        // It has left the name all the same.
        case .unanswered(let why): hasLeft ? released(wasSaid: true) : refused(why, now)
        case .ended: released(wasSaid: false)
        case .named(let isOurs): named(isOurs)
        case .requested(let asked): requested(asked)
        case .taken: taken()
        case .vacant: vacant()
        case .due: due()
        case .disconnected: disconnected()
        }
    }

    private mutating func ask(_ ticket: UInt64) -> [Effect] {
        switch phase {
        case .free, .waiting(isOutranked: false):
            phase = .looking(ticket: ticket)
            return [.look]
        case .looking, .asking, .naming, .held: preconditionFailure("asked for twice")
        // It came between the look at isBarred and this.
        case .yielding, .yielded, .waiting(isOutranked: true):
            return [.tell(ticket: ticket, .refused("it has a higher priority"))]
        }
    }

    private mutating func giveBack() -> [Effect] {
        switch phase {
        case .looking, .asking:
            phase = .free
            return [.callOff]
        case .naming:
            // The bus takes them in order: should it have given us the name, it has it back.
            phase = .free
            return [.callOff, .dropName]
        case .held:
            phase = .free
            defer { hasName = false }
            return hasName ? [.dropName] : []
        case .yielding:
            phase = hasName ? .yielded : .waiting(isOutranked: true)
            return hasName ? [.pay, .startTimer] : [.pay]
        case .free, .yielded, .waiting: return []
        }
    }

    private mutating func found(_ owner: String?, _ now: MonotonicTime) -> [Effect] {
        guard case .looking(let ticket) = phase else { return [] }
        guard let owner else {
            phase = .free
            return [.tell(ticket: ticket, .nobody)]
        }
        if let refusal, refusal.owner == owner, now < refusal.at + Self.patience {
            phase = .waiting(isOutranked: false)
            return [.tell(ticket: ticket, .refused(refusal.why))]
        }
        refusal = nil
        hasLeft = false
        phase = .asking(ticket: ticket, owner: owner)
        return [.request(owner: owner)]
    }

    private mutating func released(wasSaid: Bool) -> [Effect] {
        guard case .asking(let ticket, let owner) = phase else { return [] }
        self.wasSaid = wasSaid
        phase = .naming(ticket: ticket, owner: owner)
        return [.takeName(replacing: wasSaid)]
    }

    private mutating func refused(_ why: String, _ now: MonotonicTime) -> [Effect] {
        guard case .asking(let ticket, let owner) = phase else { return [] }
        guard !hasLeft else {
            // Whatever it says: nobody has the name, and nobody will tell that it is free.
            phase = .free
            return [.tell(ticket: ticket, .nobody)]
        }
        refusal = Refusal(owner: owner, at: now, why: why)
        phase = .waiting(isOutranked: false)
        return [.tell(ticket: ticket, .refused(why))]
    }

    private mutating func named(_ isOurs: Bool) -> [Effect] {
        guard case .naming(let ticket, _) = phase else { return [] }
        hasName = isOurs
        phase = isOurs ? .held : .waiting(isOutranked: false)
        return [
            .tell(
                ticket: ticket,
                isOurs ? .granted(wasSaid: wasSaid) : .refused("it let go, and the name was not to be had"))
        ]
    }

    private mutating func requested(_ asked: Int32) -> [Effect] {
        guard asked > priority else { return [.answerNow(false)] }
        switch phase {
        case .held:
            phase = .yielding
            return [.owe, .yield(isForced: false)]
        case .yielding: return [.owe]
        case .yielded: return [.answerNow(true)]
        case .free, .looking, .asking, .naming, .waiting: return [.answerNow(false)]
        }
    }

    private mutating func taken() -> [Effect] {
        switch phase {
        case .held:
            (phase, hasName) = (.yielding, false)
            return [.yield(isForced: true)]
        case .yielding: hasName = false
        case .yielded: (phase, hasName) = (.waiting(isOutranked: true), false)
        case .free, .looking, .asking, .naming, .waiting: break  // what is asked meanwhile tells
        }
        return []
    }

    private mutating func vacant() -> [Effect] {
        switch phase {
        case .asking:
            hasLeft = true
            return []
        case .waiting:
            (phase, refusal) = (.free, nil)
            return [.available]
        // Our own doing, or what is asked meanwhile tells.
        case .free, .looking, .naming, .held, .yielding, .yielded: return []
        }
    }

    private mutating func due() -> [Effect] {
        guard phase == .yielded else { return [] }
        (phase, hasName) = (.free, false)
        return [.dropName, .available]
    }

    private mutating func disconnected() -> [Effect] {
        hasName = false
        refusal = nil
        switch phase {
        case .looking(let ticket), .asking(let ticket, _), .naming(let ticket, _):
            phase = .free
            return [.tell(ticket: ticket, .refused("the session bus has ended"))]
        case .yielded, .waiting:
            phase = .free
            return [.available]
        case .yielding:
            phase = .held
            return [.available]
        // The device is ours all the same; nobody can ask for it any more.
        case .free, .held: return []
        }
    }
}
