internal import OnstageCore

/// The beginning of a stream, to tell how much of it can have been heard.
struct StreamStart: Hashable {
    var at: MonotonicTime
    /// What the ledger had counted before anything of it was written.
    var passed: Int64
    /// A look at the pointer of its own is still to be taken.
    var wantsLook = true
}

// What a card's pointer tells of what lies behind it, by the looks that are taken anyway and one more at the beginning of each
// stream. What it is good for, and what not: GuardTable.
extension PlaybackDriver {
    /// For how long a stream is looked at: a thousandth is allowed for what two crystals differ by, and one that differs by ten
    /// times as much makes less of it by then than the guard that is usual.
    private static var learningLimit: Duration { .milliseconds(300) }

    /// The stream is about to be started.
    ///
    /// - Parameter passed: what the ledger had counted before anything of it was written.
    func beginLearning(passed: Int64) {
        streamStart = nil
        guard let facts = output?.facts, facts.isPlain, facts.guardKey != nil, facts.guardOrigin != .profile else {
            return
        }
        streamStart = StreamStart(at: clock.now, passed: passed)
    }

    /// A look at the pointer, right after the first period of a stream has come free: a burst shows then.
    func lookForGuard() {
        guard streamStart?.wantsLook == true, let output else { return }
        streamStart?.wantsLook = false
        // Where it is a look is taken each time as it is.
        guard !output.facts.losesUnderWay, case .success(let status) = output.status() else { return }
        _ = framesAhead(status, output.facts)
    }

    /// Takes note of a pointer that has `ahead` frames still to pass.
    func learnGuard(_ status: PCMStatus, ahead: Int64) {
        guard let start = streamStart, let output, let key = output.facts.guardKey, status.state == .running else {
            return
        }
        let run = clock.now - start.at
        guard run < Self.learningLimit else {
            streamStart = nil
            return
        }
        let possible = Int64(frames(run)) * 1001 / 1000 + 1
        let seen = Int(max(0, ledger.written + ledger.silence - ahead - start.passed - possible))
        let lead = guards.note(seen, key)
        let before = output.facts.guardFrames
        let learned = GuardTable.guardFrames(lead: lead, rate: key.rate)
        guard lead > 0, learned > before else { return }
        (output.facts.guardFrames, output.facts.guardOrigin) = (learned, .learned)
        report(
            .note(
                "its pointer is \(lead) frames ahead of what can have been heard: the guard is \(learned) frames from here on, "
                    + "not \(before)"))
    }
}
