internal import OnstageCore

/// A look at a card's pointer.
struct Look: Hashable {
    var at: MonotonicTime
    /// The frames that the pointer had passed, as the ledger counts.
    var pointer: Int64
}

// What happened while we were stopped, and no call says: a write that came too late for a mixer, and a card that went round.
extension PlaybackDriver {
    /// Whether the write of `count` frames, just taken by a mixer, came too late to be heard; then it has been begun anew.
    func isLate(_ count: Int, since begun: MonotonicTime) throws(DeviceError) -> Bool {
        guard let output else { return false }
        let margin = output.fillAtWrite() - count
        if margin < 0 {
            // What stood before it was passed, hence heard; this was left out.
            _ = output.drop()
            try recover(Errno.EPIPE, "snd_pcm_writei")
            return true
        }
        // Between its look at the pointer and the last sample it mixed, we may have been stopped.
        let passed = frames(clock.now - begun) + output.facts.guardFrames
        if passed > margin, case .success(let status) = output.status() {
            let reached = count - (output.facts.bufferFrames - Int(status.available))
            if reached > 0, frames(clock.now - begun) > margin { doubtful += Int64(min(reached, count)) }
        }
        return false
    }

    /// Whether the card went round its whole ring since the last look; a plain device is then begun anew behind what stands
    /// written, for all of it was heard, and some of it again.
    func wentRound(ahead: Int64) throws(DeviceError) -> Bool {
        if let look, let output, clock.now - look.at > duration(Int64(output.facts.bufferFrames)),
            case .success(let status) = output.status(), status.state == .suspended
        {
            // It did not run meanwhile: the system slept, and its pointer says nothing of that.
            try recover(Errno.ESTRPIPE, "snd_pcm_status")
            return true
        }
        let heardAgain = takeRound(ahead: ahead, now: clock.now)
        guard heardAgain > 0, let output else { return false }
        guard output.facts.isPlain, phase == .playing else { return false }
        _ = output.drop()
        try recover(Errno.EPIPE, "snd_pcm_status")
        return true
    }

    /// The frames that were heard a second time, by the clock, since the last look at a pointer that knows no rounds; told.
    func takeRound(ahead: Int64, now: MonotonicTime) -> Int64 {
        guard let facts = output?.facts else { return 0 }
        let pointer = ledger.written + ledger.silence - ahead
        defer { look = Look(at: now, pointer: pointer) }
        guard let look else { return 0 }
        let ring = Int64(facts.bufferFrames)
        let run = Int64(frames(now - look.at))
        let moved = pointer - look.pointer
        // A pointer that stands altogether for as long as makes it stalled is another matter.
        guard run - moved > ring - ring / 8, moved != 0 || now - look.at < stallLimit else { return 0 }
        let more = max(1, run - ring)
        tellRound(more)
        return more
    }

    /// The same for a stream that ran dry: a card stops by itself, and says when; a mixer's runs on, and the pointer tells.
    func takeRound(dry status: PCMStatus) -> Int64 {
        guard let look, let facts = output?.facts else { return 0 }
        if facts.isMixed { return takeRound(ahead: Int64(facts.bufferFrames) - status.available, now: clock.now) }
        guard facts.isPlain, let stopped = status.triggered else { return 0 }
        let more = Int64(frames(stopped - look.at)) - Int64(facts.bufferFrames + facts.guardFrames)
        if more > 0 { tellRound(more) }
        return max(0, more)
    }

    private func tellRound(_ frames: Int64) {
        report(
            .recovered(
                DeviceError(
                    .stalled, operation: "snd_pcm_status", device: identity,
                    reason:
                        "the machine stood still for longer than the sound in the ring lasts: about \(frames) frames "
                        + "were heard again")))
    }
}
