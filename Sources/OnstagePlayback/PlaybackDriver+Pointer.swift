internal import OnstageCore

// Where a stream is: what its device says, and what that is worth.
//
// What has left the ring is not heard yet. A USB card takes 20 ms of sound in transfers that nothing takes back, and has more in
// itself; its pointer tells where the last transfer ends, its delay about what is under way. A stream that breaks off loses
// that: what is sure to have been heard counts then, and rather too little of it than too much.
extension PlaybackDriver {
    /// How many frames may be written, and how many are still to be heard; nil where the stream was broken, and has been mended.
    func lookAround(
        _ output: any PCMOutput, _ isStarting: Bool
    ) throws(DeviceError) -> (available: Int, ahead: Int64)? {
        guard output.facts.losesUnderWay, !isStarting else {
            let available = output.available()
            guard available < 0 else { return (available, Int64(output.facts.bufferFrames - available)) }
            try recover(Int32(-available), "snd_pcm_avail_update")
            return nil
        }
        switch output.status() {
        case .failure(let fault): try recover(fault.errno, "snd_pcm_status")
        case .success(let status):
            switch status.state {
            case .xrun: try recover(Errno.EPIPE, "snd_pcm_status")
            case .suspended: try recover(Errno.ESTRPIPE, "snd_pcm_status")
            case .disconnected: throw failure(Errno.ENODEV, "snd_pcm_status")
            default: return (Int(status.available), framesAhead(status, output.facts))
            }
        }
        return nil
    }

    /// The frames in flight that a status tells, kept within what is possible.
    func framesAhead(_ status: PCMStatus, _ facts: OutputFacts) -> Int64 {
        let inRing = framesInRing(status, facts)
        // The delay also counts what lies behind the ring. A delay beyond everything written is the driver's mistake, one
        // below what is still in the ring as well.
        let ahead = status.delay > ledger.written + ledger.silence ? inRing : max(inRing, status.delay)
        underWay = max(underWay, ahead - inRing)
        learnGuard(status, ahead: ahead)
        return ahead
    }

    /// Those of them that can still be taken back.
    func framesInRing(_ status: PCMStatus, _ facts: OutputFacts) -> Int64 {
        min(max(0, Int64(facts.bufferFrames) - status.available), ledger.written + ledger.silence)
    }

    /// Those that a rewind can reach: what is under way is not. (A ring that is emptied by a rewind has run dry.)
    func reach(_ status: PCMStatus, _ facts: OutputFacts) -> Int64 {
        facts.losesUnderWay ? framesInRing(status, facts) : framesAhead(status, facts)
    }

    /// What is under way is told, where it is, in whole frames of the bus, a millisecond each: so many more may have been played.
    private var busFrame: Int64 { underWay > 0 ? Int64(frames(.milliseconds(1))) + 1 : 0 }

    /// Takes note of what was heard of a stream that ran dry: all of it, but for what may have been under way.
    func breakOffDry(_ status: PCMStatus?) {
        guard let facts = output?.facts, facts.losesUnderWay else { return observe { $0.observeAll() } }
        guard !isBrokenOff else { return }
        isBrokenOff = true
        let total = ledger.written + ledger.silence
        var passed = max(ledger.heard, total - (underWay > 0 ? underWay : Int64(facts.guardFrames)))
        // The transfers may have been played to their end before it stopped.
        if let status, status.state == .xrun, let stopped = status.triggered {
            passed = max(passed, min(total, ledger.heard + Int64(frames(stopped - progressAt))))
        }
        passed = min(total, passed + busFrame)
        observe { $0.brokeOff(at: passed - Int64(facts.guardFrames)) }
    }

    /// The same of one that a system sleep has stopped: its pointer is that of the last look, ours or the driver's, and what lay
    /// behind it was not heard, but for what had time to be. The time since is no measure: it goes on while the system wakes.
    func breakOffAsleep(_ status: PCMStatus?) {
        guard let facts = output?.facts, !isBrokenOff else { return }
        isBrokenOff = true
        let behind = Int64(facts.guardFrames)
        let asleep = status.flatMap { $0.state == .suspended ? $0 : nil }
        // How long it went on is known of our own look alone.
        let since = asleep?.triggered.map { max(0, Int64(frames($0 - progressAt))) } ?? 0
        var sure = ledger.heard - behind
        if facts.losesUnderWay {
            // The bus goes on until the last transfer is taken back. Where nothing tells what is under way, it may be a step of
            // the pointer less that had been fetched.
            let late = min(Int64(frames(.milliseconds(5))), behind)
            let gone = underWay > 0 ? since + late : max(0, since - Int64(facts.stepFrames))
            sure = min(ledger.heard + gone, ledger.written) - behind
        } else if let asleep {
            // No more of the time than may lie behind a pointer: some cards pass sound on in steps of their own, and were
            // stopped up to 450 frames behind what the clock tells (snd-aloop).
            let total = ledger.written + ledger.silence
            sure = max(total - framesAhead(asleep, facts) - behind, sure + min(behind, since))
        }
        observe { $0.brokeOff(at: sure) }
    }

    /// The same of one that was broken off in the middle: by the clock, up to the next look that was due; what lay behind the
    /// pointer was not heard. How late we were told is not known: the clock never counts for all that may lie there.
    func breakOff() {
        guard let facts = output?.facts, facts.losesUnderWay, !isBrokenOff else { return }
        isBrokenOff = true
        let most = max(0, min(facts.periodFrames, facts.guardFrames - frames(.milliseconds(5))))
        let since = min(Int64(frames(clock.now - progressAt)) + busFrame, Int64(most))
        observe { $0.brokeOff(at: min($0.heard + since, $0.written) - Int64(facts.guardFrames)) }
    }
}
