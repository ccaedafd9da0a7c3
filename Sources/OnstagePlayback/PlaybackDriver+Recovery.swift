internal import OnstageCore

// What a PCM does when it does not do what it should.
extension PlaybackDriver {
    /// How many times in a row a stream is begun anew without a frame being heard, before it is given up.
    private static var restartLimit: Int { 8 }
    /// The same after a system sleep, at 100 ms from one to the next where the card says that it sleeps.
    private static var awakeningLimit: Int { 20 }

    /// Mends what `errno` (positive) says, or throws.
    func recover(_ errno: Int32, _ call: String) throws(DeviceError) {
        switch errno {
        case Errno.EAGAIN: return
        case Errno.EPIPE: try recoverUnderrun(call)
        case Errno.ESTRPIPE: try recoverSuspend(call)
        default: throw failure(errno, call)
        }
    }

    /// The device ran dry: everything written was heard. It goes on with the very frames that it refused.
    ///
    /// Where frames were under way they were not: those are played again.
    private func recoverUnderrun(_ call: String) throws(DeviceError) {
        guard let output else { return }
        let isAtEnd = phase == .ending && block?.count == 0
        let status = try? output.status().get()
        overrunTakenBack(status)
        breakOffDry(status)
        let isWhole = ledger.heard == ledger.written || !media.info.isSeekable
        if isWhole { observe { $0.observeAll() } }
        if isAtEnd, isWhole { return }  // the last frame was heard: finishEnding sees the state and tells it
        // Where sound comes when it comes, silence is no fault of anybody's.
        let isFault = !(media.isLive && isStarved)
        if isFault { countUnderrun() }
        if let status, status.state == .xrun {
            _ = takeRound(dry: status)
        }
        if ledger.heard > 0, !isWhole { restarts = 0 }
        restarts += 1
        guard restarts <= Self.restartLimit else {
            throw DeviceError(
                errno: Errno.EPIPE, operation: call, device: identity,
                reason: "it runs dry again as soon as it is started")
        }
        let answer = output.prepareStream()
        if answer < 0 { throw failure(-answer, "snd_pcm_prepare") }
        if isFault {
            report(
                .recovered(
                    DeviceError(
                        errno: Errno.EPIPE, operation: call, device: identity,
                        reason: "it ran out of sound; it goes on at frame \(ledger.position)")))
        }
        try isWhole ? startStream(from: nil) : restart(from: ledger.position)
    }

    /// The system slept: the stream is begun anew at the first frame that may not have been heard.
    ///
    /// Never by `snd_pcm_resume`: some cards cannot, and of those that can some begin again at another place of their ring than
    /// they stopped at, so that their pointer tells of frames that nobody heard (snd-dummy begins at its beginning).
    private func recoverSuspend(_ call: String) throws(DeviceError) {
        guard let output else { return }
        // Asleep still, or again, as soon as it was begun: that is for whoever begins it.
        if isAsleep { throw failure(Errno.ESTRPIPE, call) }
        breakOffAsleep(try? output.status().get())
        isAsleep = true
        try goOnAwake(call)
    }

    /// Begins the stream anew after a sleep; a card that is not awake yet is waited for.
    func goOnAwake(_ call: String = "snd_pcm_prepare") throws(DeviceError) {
        let asleep = ledger
        awakenings += 1
        guard awakenings <= Self.awakeningLimit else { throw failure(Errno.ESTRPIPE, call) }
        look = nil
        do throws(DeviceError) {
            try restart(from: ledger.position)
        } catch {
            guard error.errno == Errno.EAGAIN || error.errno == Errno.ESTRPIPE else { throw error }
            // Nothing was heard of what was begun.
            (ledger, isBroken, isBrokenOff) = (asleep, false, true)
            progressAt = clock.now
            turnAt = clock.now + .milliseconds(100)
            return publish(isRunning: false)
        }
        isAsleep = false
        report(
            .recovered(
                DeviceError(
                    errno: Errno.ESTRPIPE, operation: call, device: identity,
                    reason: "the system slept; it goes on at frame \(ledger.position)")))
    }

    /// The error that ends the stream.
    func failure(_ errno: Int32, _ call: String) -> DeviceError {
        if !isBroken { breakOff() }
        isBroken = true
        var error = DeviceError(errno: errno, operation: call, device: identity)
        switch errno {
        case Errno.ENODEV, Errno.EBADFD, Errno.ENXIO, Errno.ESHUTDOWN:
            error.kind = .absent
            error.reason = "the sound card went away"
            error.advice = "it is waited for, and played on from frame \(ledger.position)"
        default: break
        }
        return error
    }
}
