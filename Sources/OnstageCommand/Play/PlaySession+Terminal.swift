internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

// Signals, keys, the status line, and what Ctrl-Z does.
extension PlaySession {
    func takeSignal(_ number: Int32) {
        switch number {
        case SIGUSR1: player?.pause()
        case SIGUSR2: player?.play()
        case SIGINT, SIGTERM, SIGHUP: leave()
        case SIGTSTP: stop()
        case SIGCONT: takeTerminal()
        case SIGWINCH: if nextStatus != nil { nextStatus = .now }
        default: break
        }
    }

    /// Begins to read keys and to show where the sound is, where there is a terminal and we are in front of it.
    func takeTerminal() {
        guard hasBegun, stage == .playing else { return }
        takeKeyboard()
        if screen.style == .status { nextStatus = .now }
    }

    private func takeKeyboard() {
        if let terminal = keyTerminal, Terminal.beginKeys(terminal) { keyDescriptor = terminal }
    }

    /// Standard input, or the terminal behind everything where the sound comes from there.
    private var keyTerminal: Int32? {
        if Terminal.isTerminal(STDIN_FILENO) { return STDIN_FILENO }
        guard options.items.contains(.standardInput), screen.style == .status else { return nil }
        return Terminal.controlling
    }

    func takeKeys() {
        guard let keyDescriptor else { return }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(keyDescriptor, &bytes, bytes.count)
        guard count > 0 else {
            // The terminal is gone, or somebody else reads it (EIO in the background): SIGCONT tells when to look again.
            if !(count < 0 && (errno == EINTR || errno == EAGAIN)) { self.keyDescriptor = nil }
            return
        }
        for key in keys.keys(bytes[..<count]) { take(key) }
    }

    func take(_ key: Key) {
        if case .switching = stage { return waitingKeys.append(key) }
        guard stage == .playing, let player else { return }
        switch key {
        case .character(UInt8(ascii: " ")):
            if player.playWhenReady { player.pause() } else { player.play() }
        case .character(UInt8(ascii: "q")), .character(UInt8(ascii: "Q")): leave()
        case .character(UInt8(ascii: "n")): next()
        case .character(UInt8(ascii: "p")): previous(player)
        case .left: seek(player, by: -5)
        case .right: seek(player, by: 5)
        case .up: player.volume = min(1, ((player.volume * 20).rounded() + 1) / 20)
        case .down: player.volume = max(0, ((player.volume * 20).rounded() - 1) / 20)
        case .character: break
        }
        if nextStatus != nil { nextStatus = .now }
    }

    /// To the beginning of what plays; from there to the item before.
    private func previous(_ player: Player) {
        let isAtStart = player.position < 3 * Int64(player.info.rate)
        if index > 0, isAtStart || !player.info.isSeekable { return move(to: index - 1) }
        player.seek(to: 0)
    }

    private func seek(_ player: Player, by seconds: Int64) {
        player.seek(to: max(0, player.position + seconds * Int64(player.info.rate)))
    }

    func showStatus(_ now: MonotonicTime) {
        guard let player else { return }
        // A job that runs is brought to the front without a signal.
        if keyDescriptor == nil { takeKeyboard() }
        let status = PlayStatus(
            state: state, position: player.position, info: player.info, volume: player.volume,
            isLooped: options.isLooped, name: options.items[index].shortName, number: index + 1,
            count: options.items.count)
        screen.show(status.text(columns: screen.columns))
        // What stands still is still shown anew now and then: the terminal may have been written to by others.
        nextStatus = now + (status.lasts ?? .seconds(60))
    }

    /// Stops as the terminal's user wants it, with the terminal put back; returns when the process is continued.
    func stopProcess() {
        nextStatus = nil
        if keyDescriptor != nil { Terminal.endKeys() }
        keyDescriptor = nil
        screen.say("")
        signals.stopProcess()
        stage = .playing
        // A second Ctrl-Z that came meanwhile is this one.
        wantsStop = false
        // Whoever paused it before finds it paused.
        scene.resume()
        takeTerminal()
        takeWaitingKeys()
        // The pause itself may have come behind the last frame: the end was told while nothing could be begun.
        if hasEnded, stage == .playing { next() }
    }
}
