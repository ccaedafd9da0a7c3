internal import OnstageCore

// What a PCM does when it does not do what it should.
extension PlaybackDriver {
    /// How many times in a row a stream is begun anew without a frame being heard, before it is given up.
    private static var restartLimit: Int { 8 }
    private static var resumeLimit: Int { 20 }

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

    /// The system slept. The driver may go on by itself; else the stream is begun anew at the frame heard last.
    private func recoverSuspend(_ call: String) throws(DeviceError) {
        guard let output else { return }
        if output.facts.losesUnderWay {
            breakOff()
        } else if case .success(let status) = output.status(), status.state == .suspended {
            let ahead = framesAhead(status, output.facts)
            observe { $0.observe(ahead: ahead) }
        }
        let answer = output.resume()
        if answer == -Errno.EAGAIN, resumes < Self.resumeLimit {
            resumes += 1
            progressAt = clock.now
            look = nil
            turnAt = clock.now + .milliseconds(100)
            return
        }
        look = nil
        if answer == 0 {
            resumes = 0
            isBrokenOff = false
            progressAt = clock.now
            turnAt = output.facts.isPlain && phase == .playing ? nil : clock.now
        } else if answer == -Errno.ENODEV {
            throw failure(Errno.ENODEV, "snd_pcm_resume")
        } else {
            let isAtEnd = phase == .ending && ledger.contentAhead(ahead: ledger.written + ledger.silence) == 0
            if isAtEnd { return }
            observe { $0.forgetUnheard() }
            resumes = 0
            try restart(from: ledger.position)
        }
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
