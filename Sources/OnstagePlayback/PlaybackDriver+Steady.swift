package import OnstageCore

/// What a stream in steady play goes by: plain numbers, so that a turn is a write and a few additions.
struct Steady {
    /// The next frames of the media, as the device takes them, and how many lie in one piece there.
    var next: UnsafeRawPointer?
    var frames = 0
    /// Of that piece: handed on, and not told the feed.
    var taken = 0
    var frameBytes = 0
    var bufferFrames = 0
    /// What is still to be heard when the ring is full.
    var ahead: Int64 = 0
    /// What the piece was taken for; at full volume, as all of steady play.
    var isLooped = false
    /// For how long a pointer may stand, in nanoseconds.
    var stallLimit: Int64 = 0
    /// A turn that comes later than this after the one before is looked at: the card may have gone round its ring.
    var lapse: Int64 = 0
    var rate: Int64 = 0
    /// What is waited for has been named since the last turn of another kind.
    var isWaitNamed = false
}

// A plain device whose ring is filled with sound as it lies in the feed, at full volume: nothing to convert, nothing to ask. The
// write tells by itself how much room there was, and so where the pointer is. Everything else is left to the turn that knows it
// all (PlaybackDriver+Stream.swift), which comes back to this one.
extension PlaybackDriver {
    package var keepsWait: Bool {
        steady.isWaitNamed && steady.frames > 0 && phase == .playing && output?.keepsWait == true
    }

    /// A turn fills the ring, or is none of steady play.
    package var takesAll: Bool { true }

    /// One turn of steady play; nil where there is more to it, with nothing done or all of it accounted for.
    package func keptTurn(_ wait: borrowing WaitSet, now: MonotonicTime) -> MonotonicTime? {
        // Somebody else may want the card.
        guard !isReserved || reservation?.claim == nil else { return nil }
        if let jacks, jacks.isReady(wait) { return nil }
        return steadyTurn(now) ? MonotonicTime(nanoseconds: now.nanoseconds + steady.stallLimit) : nil
    }

    private func steadyTurn(_ now: MonotonicTime) -> Bool {
        guard steady.frames > 0, let look, now.nanoseconds - look.at.nanoseconds < steady.lapse, let output
        else { return false }
        if steady.frames < steady.bufferFrames { renewSteady(now) }
        guard steady.frames > 0, let next = steady.next else { return false }
        let asked = min(steady.frames, steady.bufferFrames)
        let answer = output.write(next, frames: asked)
        guard answer > 0 else { return false }
        steady.next = next + answer * steady.frameBytes
        steady.frames -= answer
        steady.taken += answer
        ledger.wrote(Int64(answer))
        // Less than what was offered was taken: the ring is full.
        guard answer < asked else { return false }
        let before = ledger.heard
        ledger.observe(ahead: steady.ahead)
        // A pointer that stands is looked at.
        guard ledger.heard > before else { return false }
        self.look = Look(at: now, pointer: ledger.written - Int64(steady.bufferFrames))
        noteHeard(ledger.heard - before, now)
        let wishes = controls.publish(ledger, rate: Int(steady.rate), at: now)
        return wishes.gain == 1 && wishes.isLooped == steady.isLooped
    }

    /// The piece that was handed on in steady play is the feed's again.
    ///
    /// - Parameter wakes: whether its thread is woken where it has room again; not before a device is free, which would wait
    ///   for it where there is one CPU. The next acquire wakes it.
    func endSteady(wakes: Bool = true) {
        if steady.taken > 0 { media.take(steady.taken, wakes: wakes) }
        steady.taken = 0
        steady.frames = 0
        steady.isWaitNamed = false
    }

    /// The piece may be too short for this turn: the next one begins with what is left of it, and the wait stays.
    private func renewSteady(_ now: MonotonicTime) {
        endSteady()
        beginSteady(now)
        steady.isWaitNamed = true
    }

    /// From here on nothing but writing is to be done, for a while.
    func beginSteady(_ now: MonotonicTime) {
        // A source that gives sound as it comes is asked for no more than the ring takes now.
        guard phase == .playing, turnAt == nil, !isStarved, !media.isLive, let facts = output?.facts, facts.isPlain,
            block?.isSameFormat == true, facts.isLent || !media.isMapped,
            // Filled to the brim, a ring of two periods has no room for one at the next interrupt: it would be woken too late.
            facts.bufferFrames >= 3 * facts.periodFrames
        else { return }
        let (gain, isLooped) = (controls.gain, controls.isLooped)
        let most = media.steadyFrames(rest: facts.bufferFrames)
        guard gain == 1, self.gain.constant(ledger.written, most) == 1,
            // What fails now will fail again when it is due, and be told then. Less than a turn's worth is not worth it.
            case .frames(let next, let frames)? = try? media.piece(most, looped: isLooped),
            frames > facts.bufferFrames / 2
        else { return }
        steady.next = next
        steady.frames = frames
        steady.frameBytes = facts.channels * facts.format.bytes
        steady.bufferFrames = facts.bufferFrames
        steady.ahead = Int64(facts.bufferFrames) + (facts.losesUnderWay ? underWay : 0)
        steady.isLooped = isLooped
        steady.rate = Int64(facts.rate)
        steady.stallLimit = stallLimit.wholeNanoseconds
        steady.lapse = duration(Int64(facts.bufferFrames)).wholeNanoseconds / 4 * 3
        block?.removeAll()
    }
}
