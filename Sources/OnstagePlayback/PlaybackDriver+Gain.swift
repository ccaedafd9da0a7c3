internal import OnstageCore

// Volume and fades, where they meet the device: what it has been given already may have to come again, at another level.
extension PlaybackDriver {
    /// Whether another volume is wished than the sound goes by, or goes to.
    var isGainNew: Bool { gain.target != controls.gain }

    /// From the next frame written the volume goes to what is wished.
    func aimGain() {
        gain.aim(controls.gain, at: ledger.written, over: Int64(frames(configuration.gainRamp)))
    }

    /// The source frame behind the last one written.
    private var writtenSource: Int64 { ledger.onward(ledger.source(ledger.written), looped: controls.isLooped) }

    // MARK: A new volume

    /// A long ring would let a new volume be heard only when it has been played: what lies far ahead is taken back, to be
    /// written again from a ramp on. Answers whether it was.
    func takeBackForGain(_ output: any PCMOutput, fill: Int) -> Bool {
        let facts = output.facts
        let near = max(horizonFrames, frames(.milliseconds(20)), facts.guardFrames) + facts.stepFrames
        guard facts.isPlain, phase == .playing, fill > near + frames(.milliseconds(100)),
            // The fill is known from the last interrupt; this looks at the pointer itself.
            case .success(let status) = output.status(), status.state == .running
        else { return false }
        let depth = reach(status, facts)
        // The fill was that of the last interrupt: the pointer may be further on.
        guard depth > Int64(near) else { return false }
        let taken = output.rewind(Int(depth) - near)
        guard taken > 0 else { return false }
        observe { $0.rewound(Int64(taken)) }
        block?.removeAll()
        aimGain()
        try? media.seek(to: writtenSource)  // in the feed still; what fails is found out again when it is read
        takenBack = Int64(taken)
        return true
    }

    /// The device ran on over what was taken back before it was written again: that was heard, at the old volume.
    func overrunTakenBack(_ status: PCMStatus?) {
        if takenBack > 0, let facts = output?.facts, let status, status.state == .xrun {
            let passed = min(takenBack, max(0, status.available - Int64(facts.bufferFrames)))
            observe { $0.overran(passed) }
            try? media.seek(to: writtenSource)  // found out again when it is read
        }
        takenBack = 0
    }

    // MARK: The fade of a pause

    /// Lets the sound fade away behind what stands written: over `wanted` frames, or as many as the media has ready.
    ///
    /// They are content like any other: written once, counted once, heard once, and not played again at the resume.
    func beginFade(_ wanted: Int64, _ output: any PCMOutput) {
        // A mixer leaves out what comes too late; near its pointer nothing is risked.
        let available = output.available()
        guard available >= 0 else { return }
        if output.facts.isMixed, output.facts.bufferFrames - available < output.facts.guardFrames { return }
        do throws(DeviceError) {
            try media.seek(to: writtenSource)
        } catch {
            return
        }
        let looped = controls.isLooped
        drain.fade = Int64(media.ready(Int(wanted), looped: looped))
        guard drain.fade > 0 else { return }
        gain.aim(0, at: ledger.written, over: drain.fade)
        writeFade(output)
    }

    /// Writes as much of the fade as there is room for.
    func writeFade(_ output: any PCMOutput) {
        while drain.fade > 0 {
            let available = output.available()
            if available == 0 { return }
            let most = min(available, Int(drain.fade))
            // Ready it is, so that nothing can fail here but the device: then it ends where it is.
            guard available > 0,
                case .frames? = try? block?.fill(
                    most, from: media, looped: controls.isLooped, gain, at: ledger.written),
                let count = block?.count, let samples = block?.samples, count > 0
            else {
                drain.fade = 0
                return
            }
            let answer = output.write(samples, frames: count)
            if answer == -Int(Errno.EAGAIN) { return }
            guard answer > 0 else {
                drain.fade = 0
                return
            }
            if output.facts.isMixed, output.fillAtWrite() < answer {
                // Too late: left out, and so as good as silence.
                ledger.wroteSilence(Int64(answer))
                drain.fade = 0
                return
            }
            wrote(answer)
            drain.fade -= Int64(answer)
        }
    }
}
