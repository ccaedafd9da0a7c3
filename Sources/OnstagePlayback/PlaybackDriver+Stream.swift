package import OnstageCore

// Steady play: a period comes free, a period is written. Nothing here allocates.
extension PlaybackDriver {
    package func prepare(_ wait: inout WaitSet) {
        steady.isWaitNamed = true
        if isReserved { watchReservation(&wait) }
        if phase != .draining, controls.hasSeek {
            // A wish has come in with a mail: look at once. This wait names no output, so the turn is none of steady play.
            endSteady()
            wait.wake(at: clock.now)
            return
        }
        if phase == .playing, isGainNew, !isAsleep { wait.wake(at: clock.now) }
        defer { if phase == .playing || phase == .ending || phase == .buffering { jacks?.prepare(&wait) } }
        switch phase {
        case .closed, .ended: break
        case .buffering:
            media.prepare(&wait, now: clock.now)
            if let bufferingUntil { wait.wake(at: bufferingUntil) }
            if let gatherUntil { wait.wake(at: gatherUntil) }
        case .playing:
            if isStarved { media.prepare(&wait, now: clock.now) }
            if let turnAt {
                wait.wake(at: turnAt)
            } else {
                output?.prepare(&wait, now: clock.now)
                wait.wake(at: progressAt + stallLimit)
            }
        case .ending, .draining: wait.wake(at: turnAt ?? clock.now)
        }
    }

    package func service(_ wait: borrowing WaitSet, now: MonotonicTime) throws(DeviceError) {
        endSteady()
        if isReserved { try checkReservation(wait) }
        takeJacks(wait)
        if phase != .draining, phase != .closed, let target = controls.takeSeek(isRunning: true) {
            try seekStream(to: target)
            return
        }
        if isAsleep, phase == .playing || phase == .ending {
            if now >= turnAt ?? now { try goOnAwake() }
            return
        }
        switch phase {
        case .closed, .ended, .draining:
            return
        case .buffering:
            media.acknowledge()
            try goOn(now)
        case .playing:
            if isStarved { media.acknowledge() }
            if turnAt == nil, !isGainNew, let output, !output.isReady(wait), now < progressAt + stallLimit { return }
            try feed()
            if phase == .ending { try finishEnding() }
            watchJacks()
        case .ending:
            try finishEnding()
        }
        if let trouble = output?.takeTrouble() { report(.recovered(trouble)) }
        beginSteady(now)
        if phase == .playing, now > progressAt + stallLimit {
            throw DeviceError(
                .stalled, operation: "snd_pcm_status", device: identity,
                reason: "its pointer has not moved for a second")
        }
    }

    /// Begins a stream at the source frame `frame`, or with what the last one has left (nil), as soon as the media has been
    /// read so far; nothing stands in the PCM.
    ///
    /// - Parameter ahead: frames that will still be heard of what was dropped.
    func startStream(from frame: Int64?, behind ahead: Int64 = 0) throws(DeviceError) {
        if let frame {
            ledger = PlaybackLedger(base: frame, length: ledger.length)
            // A sound that begins at its beginning begins as it was made.
            gain.begin(controls.gain, fade: frame == 0 ? 0 : Int64(frames(configuration.fade)))
        }
        isStarved = false
        (underWay, isBrokenOff, takenBack) = (0, false, 0)
        if let facts = output?.facts { unsure = facts.losesUnderWay ? Int64(facts.guardFrames) : 0 }
        guard media.isReady(startFrames) || isGathered(clock.now) else {
            if !isWaitingTold, isBegun || media.isLive {
                isWaitingTold = true
                report(.waiting(true))
            }
            phase = .buffering
            turnAt = nil
            bufferingUntil = clock.now + Self.bufferingLimit
            return publish(isRunning: false)
        }
        isMediaHung = false
        if isWaitingTold { report(.waiting(false)) }
        (isWaitingTold, gatherUntil) = (false, nil)
        phase = .playing
        progressAt = clock.now
        try fillStream(behind: ahead)
        guard phase != .buffering else {
            // What stood ready was gone.
            if !isWaitingTold { report(.waiting(true)) }
            isWaitingTold = true
            return
        }
        if !isBegun { report(.first(clock.now)) }
        isBegun = true
    }

    /// Looks whether sound has come that was waited for.
    private func goOn(_ now: MonotonicTime) throws(DeviceError) {
        if media.isReady(startFrames) || isGathered(now) { return try startStream(from: nil) }
        guard let until = bufferingUntil, now >= until else { return }
        guard media.isLive else { throw hung() }
        // Said once; it may be silent for as long as it likes.
        report(.note("nothing comes from \(media.info.name): silence until it does"))
        bufferingUntil = nil
    }

    /// Whether some sound of a live source has waited for long enough for more to come.
    private func isGathered(_ now: MonotonicTime) -> Bool {
        guard media.isLive, phase == .buffering, media.isReady(1) else { return false }
        guard let until = gatherUntil else {
            gatherUntil = now + .milliseconds(50)
            _ = media.isReady(startFrames)  // asks to be woken
            return false
        }
        return now >= until
    }

    /// How much of the media stands ready before a stream is started: what fits the device, but not long waited for.
    var startFrames: Int { min(output?.facts.bufferFrames ?? .max, frames(.milliseconds(100))) }

    /// For how long a device is held while nothing comes from its media.
    static var bufferingLimit: Duration { .seconds(1) }

    /// The error for a media that gives nothing.
    func hung() -> DeviceError {
        isMediaHung = true
        return DeviceError(
            .stalled, operation: "read", device: media.info.name,
            reason: "it is not read in time; the sound stands at frame \(ledger.position)",
            advice: "its disk is slow, or gone; it is tried again")
    }

    /// Fills the PCM from where the media stands, and starts it.
    ///
    /// Into a mixer a stream begins with silence, and content is written when it runs. A mixer starts at its card's
    /// pointer, or before it, while the card runs on: what is first in the ring may be passed before it is there.
    private func fillStream(behind ahead: Int64) throws(DeviceError) {
        guard let output else { return }
        look = nil
        streamStart = nil
        let passed = ledger.written + ledger.silence
        if !output.facts.isMixed {
            let before = ledger.written
            try feed(isStarting: true)
            if phase == .playing, isStarved, ledger.written == before {
                // What stood ready was gone: waited for once more.
                phase = .buffering
                (turnAt, bufferingUntil) = (nil, clock.now + Self.bufferingLimit)
                return publish(isRunning: false)
            }
        } else if let silence = block?.silence {
            let lead = min(max(Int(ahead), leadFrames(output.facts)), nearFrames(output.facts), block?.capacity ?? 0)
            let answer = output.write(silence, frames: lead)
            if answer < 0 { throw failure(Int32(-answer), "snd_pcm_writei") }
        }
        beginLearning(passed: passed)
        let answer = output.start()
        if answer < 0 { throw failure(-answer, "snd_pcm_start") }
        media.take(0)
        if output.facts.isMixed { try feed() }
        turnAt = output.facts.isPlain ? nil : clock.now + duration(Int64(nearFrames(output.facts) / 4))
        if phase == .ending { turnAt = clock.now }
        publish(isRunning: true)
    }

    /// How far ahead sound is written through plug-ins: near, but not nearer than a period and the guard (a rate converter
    /// hands on whole periods only), and leaving room for the silence of a pause.
    private func nearFrames(_ facts: OutputFacts) -> Int {
        let near = max(frames(configuration.nearLimit), facts.periodFrames + facts.guardFrames)
        let room = facts.bufferFrames - facts.periodFrames - facts.guardFrames
        return room >= facts.periodFrames ? min(near, room) : min(near, facts.bufferFrames)
    }

    /// The silence that a stream into a mixer begins with: half of what is written ahead.
    private func leadFrames(_ facts: OutputFacts) -> Int { nearFrames(facts) / 2 }

    /// How many of the `available` frames may be written now.
    private func room(_ available: Int, _ facts: OutputFacts) -> Int {
        guard !facts.isPlain else { return available }
        return max(0, min(available, nearFrames(facts) - (facts.bufferFrames - available)))
    }

    /// Writes what fits, once. At the end of the media, silence behind it.
    func feed(isStarting: Bool = false) throws(DeviceError) {
        guard let output, let (available, ahead) = try lookAround(output, isStarting) else { return }
        let fill = output.facts.bufferFrames - available
        if !isStarting {
            if try wentRound(ahead: Int64(fill)) { return }
            observe { $0.observe(ahead: ahead) }
            lookForGuard()
        }
        if !isStarting, isGainNew {
            if takeBackForGain(output, fill: fill) { return try feed() }
            aimGain()
        }
        if !isStarting, output.facts.isMixed, phase == .playing, fill < output.facts.guardFrames {
            // Too near to be sure of coming in time: it is let run dry, and goes on behind silence.
            turnAt = clock.now + duration(Int64(fill)) + .milliseconds(1)
            return
        }
        let room = room(available, output.facts)
        // Woken with nothing to write: the device may be gone, or asleep. The page that tells how much is free does not say so,
        // and its descriptor answers at once for ever. Plug-ins wake us as a rule with nothing to write.
        if room < output.facts.periodFrames / 2, !isStarting,
            output.facts.isPlain || clock.now > progressAt + .milliseconds(100), try !isAlive(output)
        {
            return
        }
        var rest = room
        while rest > 0 {
            try fillBlock(rest)
            guard let count = block?.count, count > 0, let samples = block?.samples else { break }
            let begun = clock.now
            let answer = output.write(samples, frames: count)
            if answer == -Int(Errno.EFAULT), media.leaveMap() {
                // The file has been cut short under us, or its disk is gone: it is read, and that says what is wrong.
                block?.removeAll()
                continue
            }
            if answer < 0, -answer != Int(Errno.EAGAIN) { return try recover(Int32(-answer), "snd_pcm_writei") }
            guard answer > 0 else { break }
            if output.facts.isMixed, !isStarting, try isLate(answer, since: begun) { return }
            wrote(answer, wakes: !isStarting)
            takenBack = max(0, takenBack - Int64(answer))
            // Less than all of a piece: the device has no more room now. A piece ends where the feed's ring does.
            guard answer == count else { break }
            rest -= answer
        }
        if phase == .ending, block?.count == 0 { try coverEnd() }
        if !isStarting {
            if phase == .playing { turnAt = nextTurn(output, fill: fill + room - rest) }
            publish(isRunning: true)
        }
    }

    /// When to look again where no descriptor tells: through plug-ins, and while the media is behind.
    private func nextTurn(_ output: any PCMOutput, fill: Int) -> MonotonicTime? {
        let near = output.facts.isPlain ? nil : clock.now + duration(Int64(nearFrames(output.facts) / 4))
        guard isStarved else { return near }
        let dry = clock.now + duration(Int64(fill)) + .milliseconds(1)
        return near.map { min($0, dry) } ?? dry
    }

    /// `frames` of the block are in the device's ring.
    ///
    /// - Parameter wakes: whether the reading thread is woken where it has room again; not before the stream has been started,
    ///   which would wait for it where there is one CPU.
    func wrote(_ frames: Int, wakes: Bool = true) {
        block?.take(frames)
        media.take(frames, wakes: wakes)
        ledger.wrote(Int64(frames))
    }

    /// Whether it is there and awake; where it slept it has been begun anew.
    private func isAlive(_ output: any PCMOutput) throws(DeviceError) -> Bool {
        switch output.status() {
        case .failure(let fault): try recover(fault.errno, "snd_pcm_status")
        case .success(let status):
            switch status.state {
            case .disconnected: throw failure(Errno.ENODEV, "snd_pcm_status")
            // Asleep right behind a write: the ring is full, and stays so.
            case .suspended: try recover(Errno.ESTRPIPE, "snd_pcm_status")
            default: return true
            }
        }
        return false
    }

    /// Makes the media's next frames ready, over the end of a pass where it loops. None: it has no more, and is ending; or
    /// they have not been read yet.
    private func fillBlock(_ wanted: Int) throws(DeviceError) {
        guard phase == .playing else { return }
        let looped = controls.isLooped
        if isGainNew { aimGain() }
        let piece = try block?.fill(wanted, from: media, looped: looped, gain, at: ledger.written)
        // What a pass really was counts, not what the header said.
        if let length = media.length, length != ledger.length {
            if let said = ledger.length { report(.note("\(media.info.name) ends at frame \(length), not at \(said)")) }
            ledger.length = length
        }
        isStarved = false
        switch piece {
        case .frames, nil: break
        case .notYet:
            isStarved = true
            _ = media.isReady(frames(.milliseconds(20)))  // asks to be woken
        case .end: phase = .ending
        }
    }

    /// Leaves what is in flight and goes on from `target`.
    private func seekStream(to target: Int64) throws(DeviceError) {
        var target = target
        if let length = ledger.length, target >= length, controls.isLooped { target = 0 }
        if let output, case .success(let status) = output.status(), status.state == .running {
            let ahead = framesAhead(status, output.facts)
            observe { $0.observe(ahead: ahead) }
        }
        // A card that is asleep is begun there when it is awake.
        if output == nil || isAsleep {
            ledger = PlaybackLedger(base: target, length: ledger.length)
            return publish(isRunning: false)
        }
        try restart(from: target)
    }

    /// Begins the stream anew at a source frame; what was in the ring is gone.
    func restart(from frame: Int64) throws(DeviceError) {
        guard let output else { return }
        let frame = ledger.onward(frame, looped: controls.isLooped)
        // What a mixer has mixed it will play.
        var ahead: Int64 = 0
        if output.facts.isMixed, case .success(let status) = output.status(), status.state == .running {
            ahead = framesAhead(status, output.facts)
        }
        _ = output.drop()
        let answer = output.prepareStream()
        if answer < 0 { throw failure(-answer, "snd_pcm_prepare") }
        block?.removeAll()
        try media.seek(to: frame)
        try startStream(from: frame, behind: ahead)
    }
}
