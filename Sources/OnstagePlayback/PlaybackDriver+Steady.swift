internal import OnstageCore

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
    /// What the piece was taken for.
    var gain = 1.0
    var isLooped = false
    /// Until then nothing else is to be seen to.
    var until: Int64 = 0
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

    /// One turn of steady play; false where there is more to it, with nothing done or all of it accounted for.
    func steadyTurn(_ wait: borrowing WaitSet, _ now: MonotonicTime) -> Bool {
        guard steady.frames > 0, now.nanoseconds < steady.until, let look, let output,
            now.nanoseconds - look.at.nanoseconds < steady.lapse, output.isReady(wait), let next = steady.next
        else { return false }
        let asked = min(steady.frames, steady.bufferFrames)
        let answer = output.write(next, frames: asked)
        guard answer > 0 else { return false }
        steady.next = next + answer * steady.frameBytes
        steady.frames -= answer
        steady.taken += answer
        ledger.wrote(Int64(answer))
        // Less than what was offered was taken: the ring is full.
        guard answer < asked else { return false }
        let pointer = ledger.written - Int64(steady.bufferFrames)
        self.look = Look(at: now, pointer: pointer)
        let before = ledger.heard
        ledger.observe(ahead: steady.ahead)
        noteHeard(ledger.heard - before, now)
        let wishes = controls.publish(ledger, rate: Int(steady.rate), at: now)
        return wishes.gain == steady.gain && wishes.isLooped == steady.isLooped
    }

    /// The piece that was handed on in steady play is the feed's again.
    func endSteady() {
        if steady.taken > 0 { media.take(steady.taken) }
        steady.taken = 0
        steady.frames = 0
        steady.isWaitNamed = false
    }

    /// From here on nothing but writing is to be done, for a while.
    func beginSteady(_ now: MonotonicTime) {
        // A source that gives sound as it comes is asked for no more than the ring takes now.
        guard phase == .playing, turnAt == nil, !isStarved, !media.isLive, let facts = output?.facts, facts.isPlain,
            block?.isSameFormat == true
        else { return }
        let (gain, isLooped) = (controls.gain, controls.isLooped)
        let most = media.longestPiece
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
        steady.gain = gain
        steady.isLooped = isLooped
        steady.rate = Int64(facts.rate)
        steady.lapse = duration(Int64(facts.bufferFrames)).wholeNanoseconds / 4 * 3
        // Half of the time in which a pointer that stands still is found out; and the journal is not to be late.
        var until = progressAt + stallLimit / 2
        if let journalAt { until = min(until, journalAt - turnLength) }
        steady.until = until.nanoseconds
        block?.removeAll()
    }

    /// About how long it is from one turn of steady play to the next.
    var turnLength: Duration {
        guard let facts = output?.facts, turnAt == nil else { return .zero }
        return min(duration(Int64(facts.bufferFrames / 2)), (configuration.journalInterval ?? .seconds(1)) / 2)
    }
}

extension MediaFeed {
    /// How many frames are taken in one go in steady play; the reading thread sees later that it has room again.
    fileprivate var longestPiece: Int { max(1024, info.rate / 8) }
}
