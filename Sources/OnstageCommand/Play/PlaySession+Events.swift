internal import Onstage
internal import OnstageCore
internal import OnstageLinux

// What happens to the player.
extension PlaySession {
    func take(_ event: PlayerEvent) {
        guard let player else { return }
        switch event {
        case .state(let state):
            self.state = state
            takeState(state, player)
        case .position(let frame):
            // Told when it is bound, when its kept position has been read, and after a seek.
            if toldTurn != turn { firstFrame = frame }
            reporter.position(frame)
        case .ended:
            reporter.ended()
            hasEnded = true
            next()
        case .released(let receipt):
            if let position = receipt.detail.position, player.handle.journal != nil { unstored = position }
            reporter.released(receipt, player.info)
        case .stored(let position):
            if position == unstored { unstored = nil }
            reporter.stored(position)
        case .recovered(let error): reporter.recovered(error)
        case .note(let text): reporter.note(text)
        case .playWhenReady, .focus: break  // by nobody but its own keys: it shares the sound with everybody
        @unknown default: break
        }
        if nextStatus != nil { nextStatus = .now }
    }

    private func takeState(_ state: PlayerState, _ player: Player) {
        if state == .playing { heard(player) }
        reporter.state(state, player)
        switch state {
        case .failed(let error): fail(error)
        case .opening(let error?):
            // What has never played does not wait for a device, unless it is told to.
            if !hasBegun, !options.waits {
                var error = error
                error.advice = "with --wait it is waited for"
                return fail(error)
            }
            let text = "\(error)"
            if waitsFor != text { screen.write(.warning, text) }
            waitsFor = text
        case .idle, .opening, .buffering, .playing, .paused, .ended: break
        @unknown default: break
        }
    }

    /// The first sound of an item is heard: now there is time for everything else.
    private func heard(_ player: Player) {
        guard toldTurn != turn else { return }
        let isFirst = !hasBegun
        toldTurn = turn
        reporter.began(options.items[index], index + 1, of: options.items.count, player.info, from: firstFrame)
        for oddity in player.info.oddities { screen.write(.warning, "\(PlayItem.shown(player.info.name)): \(oddity)") }
        if isFirst { takeTerminal() }
        if screen.style == .status { nextStatus = .now }
    }

    /// After the end of an item, or by a key.
    func next() {
        if index + 1 < options.items.count { return move(to: index + 1) }
        if options.isLooped, options.items.count > 1 { return move(to: 0) }
        leave()
    }
}
