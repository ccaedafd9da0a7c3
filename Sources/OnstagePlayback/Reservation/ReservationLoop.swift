internal import Glibc
internal import OnstageCore
internal import OnstageLinux

/// The thread of a reservation: a mailbox, the bus, and the machine that decides.
///
/// *Runs on:* its own thread.
final class ReservationLoop {
    private static let interface = "org.freedesktop.ReserveDevice1"
    /// For how long those whom we gave way to may take to come for the name.
    private static let handOverLimit = Duration.seconds(2)

    private let orders: Mailbox<CardReservation.Order>
    private let shared: CardReservation.Shared
    private let busAddress: String?
    private let available: @Sendable () -> Void
    private var machine: ReservationMachine
    private var bus: SessionBus?
    /// A call could not be sent.
    private var isBroken = false
    private var card = -1
    private var device = ""
    /// Calls whose answers are wanted.
    private var underWay: [BusCall] = []
    /// Who has the card, and since when it has been asked.
    private var holder = DeviceHolders.unknown
    private var asked = MonotonicTime(nanoseconds: 0)
    /// Who asks at this moment, and those whose answer is owed.
    private var asking: BusRequest?
    private var owed: [BusRequest] = []
    /// Who is worth more than we are: its connection, and what it asked with.
    private var winner: (connection: String, priority: Int32?)?
    private var due: MonotonicTime?
    /// Our own connection's name, known since the bus has answered.
    private var connection: String?

    init(
        priority: Int32, busAddress: String?, orders: Mailbox<CardReservation.Order>, shared: CardReservation.Shared,
        available: @escaping @Sendable () -> Void
    ) {
        machine = ReservationMachine(priority: priority)
        self.busAddress = busAddress
        self.orders = orders
        self.shared = shared
        self.available = available
    }

    /// Until the reservation's end. The bus takes the name back from a connection that ends.
    func run() {
        var wait = WaitSet()
        while true {
            wait.removeAll()
            wait.add(orders.descriptor)
            bus?.prepare(&wait)
            if let due { wait.wake(at: due) }
            if isAtEnd { wait.wake(at: .now) }
            _ = wait.waitForEvents(SystemClock(), waking: orders)
            for order in orders.take() {
                switch order {
                case .ask(let ticket, let card, let device): ask(ticket, card, device)
                case .giveBack: apply(.giveBack)
                case .end: return
                }
            }
            bus?.process()
            if let due, .now >= due {
                self.due = nil
                apply(.due)
            }
            if isAtEnd {
                leaveBus()
                apply(.disconnected)
            }
        }
    }

    /// The bus is no use any more.
    private var isAtEnd: Bool { isBroken || bus?.isOver == true }

    private var name: String { "Audio\(card)" }
    private var busName: String { "\(Self.interface).\(name)" }
    private var path: String { "/org/freedesktop/ReserveDevice1/\(name)" }

    private func ask(_ ticket: UInt64, _ card: Int, _ device: String) {
        // The card has come back under another number: another name.
        if card != self.card, bus != nil {
            leaveBus()
            apply(.disconnected)
        }
        self.card = card
        self.device = device
        do throws(DeviceError) {
            try joinBus()
        } catch {
            leaveBus()
            return answer(ticket, .refused("its holder cannot be asked on the session bus: \(error)"))
        }
        apply(.ask(ticket: ticket))
    }

    private func joinBus() throws(DeviceError) {
        guard bus == nil else { return }
        let bus = try SessionBus(address: busAddress)
        self.bus = bus
        try bus.serve(path) { [unowned self] request in take(request) }
        try bus.watchOwner(of: busName) { [unowned self] owner in
            guard let owner else { return apply(.vacant) }
            guard machine.hasName else { return apply(.taken) }
            guard owner != connection else { return }
            if winner == nil { winner = (owner, nil) }
            apply(.taken)
        }
    }

    private func leaveBus() {
        bus = nil
        isBroken = false
        underWay = []
        asking = nil
        owed = []
        connection = nil
        due = nil
    }

    // MARK: The machine

    private func apply(_ event: ReservationMachine.Event) {
        for effect in machine.apply(event, now: .now) { run(effect) }
    }

    private func run(_ effect: ReservationMachine.Effect) {
        switch effect {
        case .look:
            callBus("GetNameOwner", [.text(busName)]) { [unowned self] message in
                var message = message
                connection = bus?.uniqueName
                apply(.owner(message.error == nil ? message.text() : nil))
            }
        case .request(let owner): request(owner)
        case .takeName(let replacing): takeName(replacing)
        case .dropName: callBus("ReleaseName", [.text(busName)], isWanted: false) { _ in }
        case .callOff:
            for call in underWay { call.callOff() }
            underWay = []
        case .tell(let ticket, let outcome): tell(ticket, outcome)
        case .answerNow(let isReleased): answer(asking, isReleased)
        case .owe: if let asking { owed.append(asking) }
        case .pay:
            for request in owed { answer(request, true) }
            owed = []
        case .yield: yield()
        case .startTimer: due = .now + Self.handOverLimit
        case .available:
            due = nil
            winner = nil
            shared.claim = nil
            available()
        }
    }

    private func tell(_ ticket: UInt64, _ outcome: ReservationMachine.Outcome) {
        underWay = []
        switch outcome {
        case .granted(let wasSaid):
            let took = (MonotonicTime.now - asked).wholeNanoseconds / 1_000_000
            let end = wasSaid ? "it let go in \(took) ms" : "it ended"
            answer(ticket, .granted("asked \(holder.text) for \(name): \(end)"))
        case .nobody: answer(ticket, .nobody)
        case .refused(let why): answer(ticket, .refused("asked \(holder.text) for \(name): \(why)"))
        }
    }

    private func answer(_ ticket: UInt64, _ outcome: CardReservation.Outcome) {
        shared.answers.send(CardReservation.Answer(ticket: ticket, outcome: outcome))
    }

    // MARK: What we ask

    /// Calls the bus itself.
    private func callBus(
        _ member: String, _ arguments: [BusValue], isWanted: Bool = true, _ answered: @escaping (BusMessage) -> Void
    ) {
        let made = bus?.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, arguments,
            limit: CardReservation.busLimit, answered: answered)
        guard let made else {
            isBroken = true
            return
        }
        if isWanted { underWay.append(made) }
    }

    private func request(_ owner: String) {
        asked = .now
        holder = DeviceHolders.unknown
        lookUp(owner) { [unowned self] found in holder = found }
        // To its connection: a name may have gone to another one meanwhile.
        let call = bus?.call(
            owner, path, Self.interface, "RequestRelease", [.int32(machine.priority)],
            limit: CardReservation.answerLimit
        ) { [unowned self] message in
            var message = message
            guard let error = message.error else {
                guard let isReleased = message.flag() else { return apply(.unanswered("its answer makes no sense")) }
                return apply(.answered(isReleased))
            }
            let took = MonotonicTime.now - asked
            if took >= CardReservation.answerLimit {
                apply(.unanswered("it has not answered within \(CardReservation.answerLimit.components.seconds) s"))
            } else if ["NoReply", "ServiceUnknown", "NameHasNoOwner"].contains(where: error.hasSuffix) {
                apply(.ended)
            } else {
                apply(.unanswered("it answered \(error)"))
            }
        }
        guard let call else {
            isBroken = true
            return
        }
        underWay.append(call)
    }

    private func takeName(_ isReplacing: Bool) {
        // DBUS_NAME_FLAG_ALLOW_REPLACEMENT, _REPLACE_EXISTING, _DO_NOT_QUEUE
        let flags: UInt32 = (machine.priority < .max ? 1 : 0) | (isReplacing ? 2 : 0) | 4
        callBus("RequestName", [.text(busName), .uint32(flags)]) { [unowned self] message in
            var message = message
            let answer = message.error == nil ? message.uint32() : nil
            apply(.named(answer == 1 || answer == 4))  // primary owner, already owner
        }
    }

    /// Who is behind a connection.
    private func lookUp(_ connection: String, _ found: @escaping (DeviceHolder) -> Void) {
        callBus("GetConnectionUnixProcessID", [.text(connection)]) { message in
            var message = message
            guard message.error == nil, let pid = message.uint32().flatMap({ Int32(exactly: $0) }) else {
                return found(DeviceHolders.unknown)
            }
            found(DeviceHolder(pid: pid, program: DeviceHolders.program(of: pid)))
        }
    }

    // MARK: What we are asked

    private func take(_ request: BusRequest) -> Bool {
        switch (request.interface, request.member) {
        case (Self.interface, "RequestRelease"):
            guard let priority = request.arguments.int32() else { return false }
            asking = request
            if priority > machine.priority, machine.phase == .held { winner = (request.sender, priority) }
            apply(.requested(priority: priority))
            asking = nil
        case ("org.freedesktop.DBus.Properties", "Get"):
            guard request.arguments.text() == Self.interface, let wanted = request.arguments.text(),
                let property = properties.first(where: { $0.name == wanted }), let bus
            else { return false }
            request.answer(property.value, isVariant: true, on: bus)
        case ("org.freedesktop.DBus.Properties", "GetAll"):
            guard request.arguments.text() == Self.interface, let bus else { return false }
            request.answer(properties, on: bus)
        default: return false
        }
        return true
    }

    private var properties: [(name: String, value: BusValue)] {
        [
            ("Priority", .int32(machine.priority)),
            ("ApplicationName", .text(DeviceHolders.program(of: getpid()) ?? "onstage")),
            ("ApplicationDeviceName", .text(device)),
        ]
    }

    private func answer(_ request: BusRequest?, _ isReleased: Bool) {
        guard let request, let bus else { return }
        request.answer(.flag(isReleased), isVariant: false, on: bus)
    }

    /// Has the device's thread close its device, when it is known for whom.
    private func yield() {
        guard let winner else { return }
        let claim = ReservationClaim(
            card: name, holder: DeviceHolders.unknown, priority: winner.priority, ours: machine.priority)
        lookUp(winner.connection) { [unowned self] found in
            guard machine.isBarred else { return }
            var claim = claim
            claim.holder = found
            shared.claim = claim
        }
    }
}

extension DeviceHolder {
    /// "pulseaudio (pid 812)", as far as it is known.
    fileprivate var text: String {
        switch (program, pid) {
        case (let program?, let pid?): "\(program) (pid \(pid))"
        case (nil, let pid?): "pid \(pid)"
        case (let program?, nil): program
        case (nil, nil): "its owner"
        }
    }
}
