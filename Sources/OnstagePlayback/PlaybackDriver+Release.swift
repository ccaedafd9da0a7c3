package import OnstageCore

/// A pause under way: the splice has been made, and the pointer is waited for.
struct Drain: Hashable {
    /// How many frames the pointer was past the splice when the silence behind it had been written.
    var missed: Int64 = 0
    /// Frames of content written when there were no more: a pause that leaves them all is the media's end.
    var whole: Int64?
    /// Frames of the fade that are still to be written.
    var fade: Int64 = 0
    /// The stream ran dry through plug-ins: what lies behind the pointer is given time until then.
    var dryUntil: MonotonicTime?
    /// When waiting is given up.
    var until = MonotonicTime(nanoseconds: 0)
}

// Two ways to pause, one promise: the position is the first frame that was not heard.
//
// Exact, by construction: behind the last frame that will be heard stands silence; the device runs until only silence is
// left, and is then stopped inside it. On a plain device the ring is first rewound to a short horizon. Rewinding alone is
// not enough: what was rewound is still in the ring behind the application's pointer, and would be played.
// Fast: stop at once and believe the driver's pointer.
extension PlaybackDriver {
    package func release(_ request: ReleaseRequest, now: MonotonicTime) -> ReleaseStep {
        endSteady(wakes: false)
        switch phase {
        case .closed:
            return finish(.exact, bound: 0, off: 0)
        case .ended, .buffering:
            return finish(.exact, bound: 0, off: 0)
        case .playing, .ending:
            guard let output else { return finish(.exact, bound: 0, off: 0) }
            let isFast = configuration.pauseMode == .fast || request.hurried
            if isFast, !isBroken, isFastFit(output.facts), let step = releaseFast(output) { return step }
            return beginRelease(output, request, now)
        case .draining:
            guard let output else { return finish(.exact, bound: 0, off: 0) }
            return continueRelease(output, now)
        }
    }

    private func isFastFit(_ facts: OutputFacts) -> Bool { facts.isPlain && !facts.isBatch }

    /// Stops at once and believes the pointer; nil where the stream does not run, and there is more to find out.
    private func releaseFast(_ output: any PCMOutput) -> ReleaseStep? {
        var bound = Int64(output.facts.guardFrames)
        var ahead: Int64
        let held = output.facts.canHold ? output.hold() : -Int(Errno.ENOSYS)
        if held >= 0 {
            ahead = min(Int64(held), ledger.written + ledger.silence)
            _ = output.drop()
        } else {
            // Between the look at the pointer and the stop we may be stopped ourselves: the time says how far it ran on.
            let looked = clock.now
            guard case .success(let status) = output.status(), status.state == .running else { return nil }
            ahead = framesAhead(status, output.facts)
            _ = output.drop()
            bound += Int64(frames(clock.now - looked))
        }
        again += takeRound(ahead: ahead, now: clock.now)
        observe { again > 0 ? $0.observeAll() : $0.observe(ahead: ahead) }
        if phase == .ending, block?.count == 0, ledger.heard == ledger.written { tellEnd() }
        return finish(.fast, bound: bound, off: again)
    }

    private func beginRelease(_ output: any PCMOutput, _ request: ReleaseRequest, _ now: MonotonicTime) -> ReleaseStep {
        guard !isBroken, !isAsleep, case .success(let status) = output.status() else { return finishLost() }
        switch status.state {
        case .running, .draining: break
        case .xrun:
            // Everything written was heard, and nothing more; but for what was under way.
            overrunTakenBack(status)
            again += takeRound(dry: status)
            drain = Drain()
            phase = .draining
            drain.until = now + .seconds(1)
            return finishDry(output, status, clock.now)
        case .suspended: return finishAsleep(status)
        case .paused:
            if output.facts.losesUnderWay { return finishLost() }
            observe { $0.observe(ahead: framesAhead(status, output.facts)) }
            return finish(.fast, bound: Int64(output.facts.guardFrames), off: 0)
        case .prepared: return finish(.exact, bound: 0, off: 0)  // never started: nothing was heard of it
        case .open, .setup, .disconnected: return finishLost()
        }
        let ahead = framesAhead(status, output.facts)
        if finishRound(output, status) { return finishDrain(output) }
        observe { $0.observe(ahead: ahead) }
        drain = Drain()
        if phase == .ending, block?.count == 0 { drain.whole = ledger.written }
        phase = .draining
        let fade = request.hurried ? 0 : Int64(frames(configuration.fade))
        splice(output, depth: reach(status, output.facts), fade: fade)
        // The content left, and then as long again as a bad pointer may need.
        let content = ledger.contentAhead(ahead: ahead) + Int64(frames(configuration.fade))
        drain.until = now + duration(content + silenceNeeded(output.facts)) + .milliseconds(250)
        publish(isRunning: true)
        return continueRelease(output, clock.now)
    }

    /// Cuts the content off near the pointer, where the device can, lets it fade away and puts silence behind it.
    private func splice(_ output: any PCMOutput, depth: Int64, fade: Int64) {
        let before = ledger.written
        let kept = horizonFrames + output.facts.stepFrames
        if output.facts.isPlain, ledger.contentAhead(ahead: depth) > Int64(kept) {
            let taken = output.rewind(Int(depth) - kept)
            if taken > 0 { observe { $0.rewound(Int64(taken)) } }
        }
        let (cut, spliced) = (before - ledger.written, ledger.written)
        // Behind the silence of an end there is nothing to fade, though a loop may be wished for since.
        if fade > 0, ledger.silence == 0 { beginFade(fade, output) }
        if drain.fade == 0 { coverPause(output) }
        // The kernel refuses to write behind a pointer that is past the splice, and stops: a write that was taken came in
        // time. Otherwise the sound that stood there was played on until the stop.
        guard cut > 0, ledger.silence == 0, ledger.written == spliced, case .success(let status) = output.status(),
            status.state == .xrun
        else { return }
        let passed = min(cut, max(0, status.available - Int64(output.facts.bufferFrames)))
        drain.missed = passed
        observe { $0.overran(passed) }
        let most = max(horizonFrames, min(output.facts.bufferFrames / 2, frames(.milliseconds(40))))
        horizonFrames = min(horizonFrames * 2, most)
    }

    /// Writes silence as far as there is room and need.
    private func coverPause(_ output: any PCMOutput) {
        // Troubles show again in the next status: a release never fails.
        let available = output.available()
        // On a plain device the whole ring: what was taken back stands in it until it is written over, and would be heard if
        // we were stopped for long now.
        let wanted =
            output.facts.isPlain
            ? Int64(available) : silenceNeeded(output.facts) + Int64(frames(.milliseconds(200))) - ledger.silence
        let count = min(wanted, Int64(available), Int64(block?.capacity ?? 0))
        guard count > 0, let silence = block?.silence else { return }
        let answer = output.write(silence, frames: Int(count))
        if answer > 0 { ledger.wroteSilence(Int64(answer)) }
    }

    private func continueRelease(_ output: any PCMOutput, _ now: MonotonicTime) -> ReleaseStep {
        let needed = silenceNeeded(output.facts)
        // The silence first, the look at the pointer after it: a look from before knows nothing of what was just written,
        // and would take the content for the silence.
        if drain.fade > 0 { writeFade(output) }
        if drain.fade == 0, ledger.silence < needed { coverPause(output) }
        guard case .success(let status) = output.status() else { return finishLost() }
        switch status.state {
        case .running, .draining: break
        case .xrun:
            again += takeRound(dry: status)
            return finishDry(output, status, now)
        case .suspended: return finishAsleep(status)
        case .prepared, .open, .setup, .disconnected, .paused: return finishLost()
        }
        let ahead = framesAhead(status, output.facts)
        if finishRound(output, status) { return finishDrain(output) }
        observe { $0.observe(ahead: ahead) }
        publish(isRunning: true)
        let goal = ledger.silence - Int64(output.facts.guardFrames)
        if ledger.silence >= needed, ahead <= goal { return finishDrain(output) }
        guard now < drain.until else { return finishLost() }
        // While the fade does not fit, half of what the device has: it must not run dry.
        let rest = drain.fade > 0 ? duration(ahead / 2) : duration(ahead - max(0, goal))
        turnAt = now + max(.microseconds(500), min(rest, .milliseconds(20)))
        return .waiting
    }

    /// Ran dry: through plug-ins the card itself runs on, and what lies behind the pointer is on its way.
    private func finishDry(_ output: any PCMOutput, _ status: PCMStatus, _ now: MonotonicTime) -> ReleaseStep {
        if output.facts.losesUnderWay {
            breakOffDry(status)
            return ledger.heard == ledger.written ? finishDrain(output) : finishUnsure()
        }
        if output.facts.isPlain { return finishDrain(output) }
        let until = drain.dryUntil ?? now + duration(Int64(output.facts.guardFrames))
        drain.dryUntil = until
        if now >= until { return finishDrain(output) }
        turnAt = until
        return .waiting
    }

    /// Notes that the card went round its ring; true where all was heard and nothing is to be waited for.
    private func finishRound(_ output: any PCMOutput, _ status: PCMStatus) -> Bool {
        // Where sound is under way the look before told of the ring alone.
        let heardAgain = takeRound(ahead: reach(status, output.facts), now: clock.now)
        again += heardAgain
        return heardAgain > 0 && output.facts.isPlain
    }

    /// Only silence is left: everything up to the splice was heard.
    private func finishDrain(_ output: any PCMOutput) -> ReleaseStep {
        observe { $0.observeAll() }
        _ = output.drop()
        if drain.whole == ledger.written { tellEnd() }
        return finish(.exact, bound: Int64(output.facts.converterBound) + doubtful, off: drain.missed + again)
    }

    /// The device is gone, or does not move any more: what is known to have been heard counts.
    private func finishLost() -> ReleaseStep {
        if !isBroken { breakOff() }
        return finishUnsure()
    }

    /// A system sleep has stopped it.
    private func finishAsleep(_ status: PCMStatus) -> ReleaseStep {
        breakOffAsleep(status)
        return finishUnsure()
    }

    /// The position is the first frame that may not have been heard.
    private func finishUnsure() -> ReleaseStep {
        let bound = ledger.written - ledger.heard + doubtful
        _ = output?.drop()
        return finish(.exact, bound: bound, off: nil)
    }

    private func finish(_ mode: PauseMode, bound: Int64, off: Int64?) -> ReleaseStep {
        close()
        let position = controls.position
        return .released(
            ReleaseDetail(released: clock.now, position: position, mode: mode, bound: bound, off: off))
    }
}
