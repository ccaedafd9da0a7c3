internal import OnstageCore

// The end of the media: what stands behind its last frame, and when that has been heard.
extension PlaybackDriver {
    /// The silence that stands behind a last frame: at least a period and the guard, so that the pointer can be seen to be
    /// past the content while the stream still runs. More, where there is room: then nothing old is ever played, however
    /// late we wake.
    func silenceNeeded(_ facts: OutputFacts) -> Int64 {
        Int64(facts.periodFrames + facts.guardFrames)
    }

    /// Writes silence behind the last frame as far as there is room for it.
    func coverEnd() throws(DeviceError) {
        guard let output else { return }
        let available = output.available()
        if available < 0 { return try recover(Int32(-available), "snd_pcm_avail_update") }
        let wanted = silenceNeeded(output.facts) + Int64(frames(.milliseconds(200)))
        let count = min(Int64(available), wanted - ledger.silence, Int64(block?.capacity ?? 0))
        guard count > 0, let silence = block?.silence else { return }
        let answer = output.write(silence, frames: Int(count))
        if answer > 0 { ledger.wroteSilence(Int64(answer)) }
        if answer < 0, -answer != Int(Errno.EAGAIN) { try recover(Int32(-answer), "snd_pcm_writei") }
    }

    /// At the end of the media: waits until its last frame has been heard, and tells it.
    func finishEnding() throws(DeviceError) {
        guard let output else { return tellEnd() }
        if block?.count ?? 0 > 0 { try feed() }
        if phase == .ending, block?.count == 0, ledger.silence < silenceNeeded(output.facts) { try coverEnd() }
        guard phase == .ending else { return }
        switch output.status() {
        case .failure(let fault):
            try recover(fault.errno, "snd_pcm_status")
        case .success(let status):
            if status.state == .disconnected { throw failure(Errno.ENODEV, "snd_pcm_status") }
            if status.state == .suspended { return try recover(Errno.ESTRPIPE, "snd_pcm_status") }
            guard status.state != .xrun, status.state != .setup else {
                if block?.count == 0 { tellEnd() } else { try recover(Errno.EPIPE, "snd_pcm_status") }
                return
            }
            let ahead = framesAhead(status, output.facts)
            observe { $0.observe(ahead: ahead) }
            publish(isRunning: true)
            let silent = ledger.silence - Int64(output.facts.guardFrames)
            if block?.count == 0, ledger.silence >= silenceNeeded(output.facts), ahead <= silent { return tellEnd() }
            let now = clock.now
            if now > progressAt + stallLimit {
                // The hardware has stopped under us: a drain that would never end.
                throw DeviceError(
                    .stalled, operation: "snd_pcm_status", device: identity,
                    reason: "its pointer has not moved for a second")
            }
            turnAt = now + max(.milliseconds(1), min(duration(ahead - max(0, silent)), .milliseconds(20)))
        }
    }

    /// The last frame of the media was heard. Where the next play begins is a matter of ``EndPolicy``.
    func tellEnd() {
        observe { $0.observeAll() }
        _ = output?.drop()
        phase = .ended
        turnAt = nil
        // What cannot be begun anew stays at its end.
        let isRewound = media.info.isSeekable && configuration.endPolicy == .rewind
        ledger = PlaybackLedger(base: isRewound ? 0 : ledger.position, length: ledger.length)
        publish(isRunning: false)
        report(.ended)
    }
}
