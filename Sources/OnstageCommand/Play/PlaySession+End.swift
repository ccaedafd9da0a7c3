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
        case .ending, .over: return
        case .playing, .switching, .stopping: break
        }
        nextStatus = nil
        // Left first, ended then: while the scene lives, every receipt and every stored position is told of.
        scene.enterBackground()
        stage = .ending(SessionEnd(until: .now + Self.releaseLimit))
        broker.afterWishes { [mailbox, turn] in mailbox.send(.decided(turn)) }
    }

    /// Ctrl-Z: gives the device back, and stops when it is.
    func stop() {
        guard stage == .playing else {
            if case .switching = stage { wantsStop = true }
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
        case .ending(var end):
            let step = end.advance(now, isReleased: isReleased, isStored: unstored == nil)
            stage = step == .over ? .over : .ending(end)
            if step == .close { broker.close { [mailbox] in mailbox.send(.closed) } }
        case .playing, .over: break
        }
    }
}
