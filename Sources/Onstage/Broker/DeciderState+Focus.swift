internal import OnstageCore
internal import Synchronization

// Who has the sound, among the players that take part (``Player/Options/focus``).
//
// A player asks when its device has been found and is about to be opened, and is on the stack from then on. It gives the sound
// back when it will not be heard for a while. What the stage says comes first: one that has left it is not on the stack, loses
// nothing there, and asks again when it comes back.
extension DeciderState {
    /// A resource's place in the process's focus stack.
    struct FocusPlace {
        /// Made at the first request.
        var id: FocusStack.ID?
        var isHeld = false
        /// The turn of its request.
        var asked: UInt64 = 0
        /// What happened before this is known.
        var turn: UInt64 = 0
        /// What the player knows.
        var told: FocusChange?
    }

    /// It is about to be heard. Answers whether it has asked now.
    ///
    /// - Parameter anew: also if it is on the stack, beneath others.
    @discardableResult
    func askForFocus(_ id: ResourceID, anew: Bool = false) -> Bool {
        guard let entry = resources[id], let role = entry.handle.focus, anew || !entry.focus.isHeld else {
            return false
        }
        let place = entry.focus.id ?? configuration.focus.newID()
        let decider = broker.decider
        let turn = configuration.focus.request(place, role.focus) { change, turn in
            decider.send(.focus(id, change, turn))
        }
        let known = entry.focus.isHeld ? entry.focus.told : nil
        resources[id]?.focus = FocusPlace(id: place, isHeld: true, asked: turn, turn: turn, told: .gained)
        // How loud it is first, then the sound.
        if known != .gained { tell(entry.handle, .focus(.gained)) }
        apply(id, .unpause(.focus))
        return true
    }

    /// Others have asked, or have given the sound back.
    func focusChanged(_ id: ResourceID, _ change: FocusChange, turn: UInt64) {
        guard let entry = resources[id], entry.focus.isHeld, turn > entry.focus.turn else { return }
        resources[id]?.focus.turn = turn
        guard change != entry.focus.told else { return }
        resources[id]?.focus.told = change
        switch change {
        case .gained, .ducked:
            tell(entry.handle, .focus(change))
            apply(id, .unpause(.focus))
        case .lostTransiently:
            apply(id, .pause(.focus, hurried: false))
            tell(entry.handle, .focus(change))
        case .lost:
            resources[id]?.focus.isHeld = false
            if entry.machine.reasons.contains(.user) {
                // A play that is on its way already came after the other's: it will ask.
                apply(id, .unpause(.focus))
            } else {
                // Silent at once; for good by mail, so that it stays in order with a play or a pause of the user's.
                apply(id, .pause(.focus, hurried: false))
                entry.handle.pause(.user, true, by: .focusLoss)
            }
            tell(entry.handle, .focus(change))
        }
    }

    /// Gives the sound back where it will not be heard, after the device's thread has been told.
    func settleFocus(_ id: ResourceID, _ event: ResourceMachine.Event) {
        guard let entry = resources[id], let role = entry.handle.focus, entry.focus.isHeld, let place = entry.focus.id
        else { return }
        let isLost = entry.machine.reasons.contains(.focus)
        var reasons = entry.machine.reasons
        reasons.remove(PauseReasons(.focus))
        guard keepsFocus(role, entry.machine, reasons) else {
            resources[id]?.focus.isHeld = false
            configuration.focus.abandon(place)
            if isLost { apply(id, .unpause(.focus)) }
            return
        }
        // Who plays while another has the sound means it.
        if isLost, reasons.isEmpty, case .unpause(.user) = event { askForFocus(id, anew: true) }
    }

    private func keepsFocus(_ role: ResourceHandle.FocusRole, _ machine: ResourceMachine, _ reasons: PauseReasons)
        -> Bool
    {
        let isForGood = role.focus.gain == .gain
        guard reasons.isEmpty else {
            if reasons.contains(.lifecycle) || reasons.contains(.finished) || role.isStopped() { return false }
            // One that has been evicted waits for the others, who will not make way for one that does not ask.
            return isForGood || reasons.isSubset(of: [PauseReasons(.evicted), PauseReasons(.preparing)])
        }
        return switch machine.phase {
        case .closed: machine.reasons.contains(.focus)  // otherwise it has failed for good
        // What waits for a card that is not there keeps nobody silent meanwhile.
        case .pendingOpen: isForGood || machine.error?.kind != .absent
        case .resolving, .claiming, .opening, .open, .closing, .stuck: true
        }
    }
}
