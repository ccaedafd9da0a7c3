internal import OnstageCore
internal import OnstageLinux

// A card that another program of the session has: a sound server, most of all. It is asked to let go, and has its card back when
// our device is closed. Nothing of this is touched where a device can be opened.
extension PlaybackDriver {
    /// For how long a device may still be busy when its owner has said that it let go.
    private static var closingLimit: Duration { .milliseconds(500) }

    /// Opens the output; where it is busy, whoever has reserved its card is asked for it.
    /// - Returns: also what there is to note about that.
    func openOutput(
        _ device: ResolvedDevice, _ request: OutputRequest, _ cancellation: any CancellationSource
    ) throws(DeviceError) -> (any PCMOutput, notes: [String]) {
        // Free at this moment, perhaps, and not ours: whom it was given to is on the way to it.
        if let claim = reservation?.claim { throw claim.error(identity) }
        do throws(DeviceError) {
            return (try backend.open(device, request, cancellation), [])
        } catch {
            guard error.kind == .inUse, configuration.reservesDevice,
                backend.busAddress != nil || SessionBus.isThere, let card = backend.card(device)
            else { throw error }
            return try openReserved(card, busy: error, device, request, cancellation)
        }
    }

    private func openReserved(
        _ card: Int, busy: DeviceError, _ device: ResolvedDevice, _ request: OutputRequest,
        _ cancellation: any CancellationSource
    ) throws(DeviceError) -> (any PCMOutput, notes: [String]) {
        let reservation = try madeReservation()
        var busy = busy
        switch try reservation.take(card: card, for: identity, cancellation) {
        case .nobody: throw busy
        case .refused(let why):
            busy.reason = why
            throw busy
        case .granted(let note):
            let limit = MonotonicTime.now + Self.closingLimit
            while true {
                do throws(DeviceError) {
                    let opened = try backend.open(device, request, cancellation)
                    isReserved = true
                    return (opened, [note])
                } catch {
                    guard error.kind == .inUse, .now < limit else {
                        reservation.giveBack()
                        if error.kind == .inUse { busy.reason = "\(note), and the device is busy all the same" }
                        throw error.kind == .inUse ? busy : error
                    }
                    // Given back there, should it be called off.
                    try reservation.pass(.milliseconds(10), for: identity, cancellation)
                }
            }
        }
    }

    private func madeReservation() throws(DeviceError) -> CardReservation {
        if let reservation { return reservation }
        let report = report
        let made = try CardReservation(
            priority: configuration.reservationPriority, busAddress: backend.busAddress
        ) { report(.available) }
        reservation = made
        return made
    }

    /// Names what tells that another program wants the card.
    func watchReservation(_ wait: inout WaitSet) {
        reservationEntry = reservation.map { wait.add($0.descriptor) }
    }

    /// - Throws: `inUse` when another program is worth more, or has taken the card.
    func checkReservation(_ wait: borrowing WaitSet) throws(DeviceError) {
        guard let reservation else { return }
        if let entry = reservationEntry, entry < wait.entries.count, wait.answers(entry) != 0 {
            reservation.acknowledge()
        }
        if let claim = reservation.claim { throw claim.error(identity) }
    }

    /// The device is closed: the card is for others.
    func endReservation() {
        guard isReserved else { return }
        isReserved = false
        reservationEntry = nil
        reservation?.giveBack()
    }
}
