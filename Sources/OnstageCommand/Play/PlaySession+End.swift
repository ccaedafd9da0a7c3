internal import Onstage
internal import OnstageCore
internal import OnstageLinux

// The end, and what Ctrl-Z does until fg.
extension PlaySession {
    func fail(_ error: DeviceError) {
        hasFailed = true
        reporter.failed(error)
        leave()
    }

    /// Gives everything back and ends.
    func leave() {
        switch stage {
        case .leaving, .closing, .over: return
        case .playing, .switching, .stopping: break
        }
        nextStatus = nil
        // Left first, ended then: while the scene lives, every receipt and every stored position is told of.
        scene.enterBackground()
        stage = .leaving(until: .now + Self.releaseLimit, isDecided: false, restSince: nil)
        broker.afterWishes { [mailbox, turn] in mailbox.send(.decided(turn)) }
    }

    /// Ctrl-Z: gives the device back, and stops when it is.
    func stop() {
        guard stage == .playing else {
            wantsStop = true
            return
        }
        wantsStop = false
        scene.pause()
        stage = .stopping(until: .now + Self.releaseLimit, isDecided: false)
        broker.afterWishes { [mailbox, turn] in mailbox.send(.decided(turn)) }
    }

    /// Whether nothing is held; what a wish asked for has been decided before.
    private var isReleased: Bool {
        guard let player else { return true }
        return player.state == .closed || player.state == .pendingOpen
    }

    func advance(_ now: MonotonicTime) {
        switch stage {
        case .switching(_, let until):
            guard until <= now else { return }
            hasFailed = true
            screen.write(.error, "the device is not given back: the kernel holds it")
            leave()
        case .stopping(let until, let isDecided):
            if isDecided && isReleased || until <= now { stopProcess() }
        case .leaving(let until, let isDecided, let since):
            guard isDecided, isReleased else {
                if until <= now { close(now) }
                return
            }
            let rested = since ?? now
            if unstored == nil || min(until, rested + Self.storeLimit) <= now {
                close(now)
            } else {
                stage = .leaving(until: until, isDecided: true, restSince: rested)
            }
        case .closing(let until):
            if until <= now { stage = .over }
        case .playing, .over: break
        }
    }

    private func close(_ now: MonotonicTime) {
        stage = .closing(until: now + Self.closingLimit)
        broker.close { [mailbox] in mailbox.send(.closed) }
    }
}
