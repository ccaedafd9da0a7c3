internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// The right to a sound card among the programs of a session (`org.freedesktop.ReserveDevice1`), for one player.
///
/// Made when a device was found busy; it has a thread of its own for the bus, so that nothing of a device waits for D-Bus.
/// *Runs on:* the device's thread, unless a member says otherwise.
final class CardReservation: Sendable {
    /// What asking for a card came to.
    enum Outcome: Hashable, Sendable {
        /// It is ours, and may be opened: who let go, for the record.
        case granted(String)
        /// Nobody on the bus answers for it.
        case nobody
        /// It is not to be had, and why.
        case refused(String)
    }

    enum Order: Sendable {
        case ask(ticket: UInt64, card: Int, device: String)
        case giveBack
        case end
    }

    struct Answer: Sendable {
        var ticket: UInt64
        var outcome: Outcome
    }

    /// What its thread hands out.
    final class Shared: Sendable {
        let answers: Mailbox<Answer>
        private let standing = Mutex<ReservationClaim?>(nil)
        private let isClaimed = Atomic(false)

        init() throws(DeviceError) {
            answers = try Mailbox()
        }

        /// Another program's claim that stands: the device is not ours before it is gone.
        var claim: ReservationClaim? {
            get { isClaimed.load(ordering: .acquiring) ? standing.withLock { $0 } : nil }
            set {
                standing.withLock { $0 = newValue }
                isClaimed.store(newValue != nil, ordering: .releasing)
                answers.wake()
            }
        }
    }

    /// For how long the owner of a card may think about it.
    static let answerLimit = Duration.seconds(3)
    /// For how long the bus itself may.
    static let busLimit = Duration.seconds(1)

    private let orders: Mailbox<Order>
    private let shared: Shared
    private let tickets = Atomic<UInt64>(0)

    /// Starts its thread; the bus is not touched before something is asked.
    ///
    /// - Parameters:
    ///   - priority: what we ask with, and what others have to beat.
    ///   - busAddress: the bus's; nil for the session's.
    ///   - available: a card that was not to be had may be had now; called on its thread.
    /// - Throws: `tooMany` when the kernel gives no thread or descriptor.
    init(
        priority: Int32, busAddress: String? = nil, available: @escaping @Sendable () -> Void
    ) throws(DeviceError) {
        let orders = try Mailbox<Order>()
        let shared = try Shared()
        self.orders = orders
        self.shared = shared
        try PosixThread.start("on-reserve") {
            ReservationLoop(
                priority: priority, busAddress: busAddress, orders: orders, shared: shared, available: available
            ).run()
        }
    }

    deinit {
        orders.send(.end)
    }

    /// Another program's claim that stands. *Runs on:* any thread.
    var claim: ReservationClaim? { shared.claim }

    /// Readable when ``claim`` may have changed.
    var descriptor: Int32 { shared.answers.descriptor }

    /// What made ``descriptor`` readable has been seen.
    func acknowledge() {
        _ = shared.answers.take()
    }

    /// Asks whoever has the card to let go of it, and waits for the answer; a bus that is deaf is one that refuses.
    /// - Throws: `cancelled` as soon as the acquire is called off; nothing is reserved then.
    func take(
        card: Int, for device: String, _ cancellation: any CancellationSource
    ) throws(DeviceError) -> Outcome {
        let ticket = tickets.wrappingAdd(1, ordering: .relaxed).newValue
        orders.send(.ask(ticket: ticket, card: card, device: device))
        var outcome: Outcome?
        try wait(until: .now + Self.answerLimit + Self.busLimit * 3, device, cancellation) { answer in
            if answer.ticket == ticket { outcome = answer.outcome }
            return outcome != nil
        }
        if outcome == nil { giveBack() }
        return outcome ?? .refused("its holder cannot be asked: the session bus does not answer")
    }

    /// Lets a moment pass, or less when the acquire is called off.
    /// - Throws: `cancelled`; the reservation has been given back then.
    func pass(_ time: Duration, for device: String, _ cancellation: any CancellationSource) throws(DeviceError) {
        try wait(until: .now + time, device, cancellation) { _ in false }
    }

    private func wait(
        until limit: MonotonicTime, _ device: String, _ cancellation: any CancellationSource,
        _ isDone: (Answer) -> Bool
    ) throws(DeviceError) {
        var wait = WaitSet()
        var isWoken = false
        while MonotonicTime.now < limit {
            wait.removeAll()
            wait.add(shared.answers.descriptor)
            // What wakes our thread is not ours to read: once it has, we look now and then.
            if isWoken { wait.wake(at: .now + .milliseconds(10)) } else { wait.add(cancellation.wakeDescriptor) }
            wait.wake(at: limit)
            _ = wait.waitForEvents(SystemClock(), waking: shared.answers)
            let isAnswered = shared.answers.take().contains(where: isDone)
            guard !cancellation.isCancelled else {
                giveBack()
                throw DeviceError(.cancelled, operation: "RequestRelease", device: device)
            }
            if isAnswered { return }
            if !isWoken { isWoken = wait.answers(1) != 0 }
        }
    }

    /// Our device is closed, or was not opened: the card is for others. Never waits.
    func giveBack() {
        orders.send(.giveBack)
    }
}
