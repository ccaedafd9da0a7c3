internal import OnstageCore
internal import OnstageLinux

extension CameraDriver {
    /// Takes what is ready, down to the newest good frame, and hands it on.
    func takeFrames(_ stream: CaptureStream, answers: Int16, now: MonotonicTime) throws(DeviceError) {
        var newest: Int?
        dequeuing: while true {
            switch stream.dequeue() {
            case .none:
                // Readable and nothing there, again and again: the queue is in its error state.
                if newest == nil, answers & (WaitSet.error | WaitSet.hangUp | WaitSet.invalid) != 0 {
                    throw stream.fault(Errno.EIO, .dequeue)
                }
                break dequeuing
            case .failed(let errno):
                if errno == Errno.EIO {
                    progress.faultRun += 1
                    if progress.faultRun < CaptureProgress.faultLimit { break dequeuing }
                }
                throw stream.fault(errno, .dequeue)
            case .buffer(let raw):
                guard let stamp = try judge(raw, stream, now) else { break dequeuing }
                if let old = newest {
                    countDropped(1)
                    progress.lostBefore += 1
                    try stream.queue(old)
                }
                newest = raw.index
                // Another call only when another frame can be there.
                if !progress.isLate(stamp, now) || stream.queuedCount == 0 { break dequeuing }
            }
        }
        if let newest { try deliver(newest, stream, now) }
    }

    /// When a frame that may be handed on was taken; its facts are in its buffer then. Else it was put back, and the next
    /// wait tells.
    private func judge(
        _ raw: CaptureStream.Raw, _ stream: CaptureStream, _ now: MonotonicTime
    ) throws(DeviceError) -> MonotonicTime? {
        let step = progress.step(raw.sequence, stamp: raw.stamp)
        if case .next(let missing) = step, missing > 0 {
            countDropped(missing)
            progress.lostBefore += missing
        }
        if step == .back, progress.stepsBack == 1 { report(.note("the camera's frame counter went back")) }
        if raw.isUnplaced {
            countDropped(1)
            progress.lostBefore += 1
            return nil
        }
        let buffer = stream.buffers[raw.index]
        if raw.isError || !buffer.isWhole {
            countBad()
            progress.badRun += 1
            progress.lostBefore += 1
            try stream.queue(raw.index)
            if progress.badRun >= CaptureProgress.badLimit {
                throw DeviceError(
                    .inputOutput, operation: VideoCall.dequeue.rawValue, device: stream.node,
                    reason: "\(progress.badRun) bad frames in a row", advice: "check the cable and the supply")
            }
            return nil
        }
        if step == .again {
            try stream.queue(raw.index)
            // A producer that has gone may leave its last frame to be read for ever.
            if now >= progress.deadline { throw stalled(stream) }
            return nil
        }
        let info = info(raw, now)
        buffer.info = info
        return info.timestamp
    }

    private func info(_ raw: CaptureStream.Raw, _ now: MonotonicTime) -> FrameInfo {
        var stamp = MonotonicTime(nanoseconds: raw.stamp)
        // A clock that is not said to be ours, or that says what cannot be.
        let (age, overflow) = now.nanoseconds.subtractingReportingOverflow(raw.stamp)
        let isForeign = !raw.isMonotonic || overflow || age.magnitude > 10_000_000_000
        if isForeign { stamp = now }
        return FrameInfo(timestamp: stamp, isArrivalTime: isForeign, isStartOfExposure: raw.isStartOfExposure)
    }

    private func deliver(_ index: Int, _ stream: CaptureStream, _ now: MonotonicTime) throws(DeviceError) {
        guard let sequence = progress.good(now) else { return try stream.queue(index) }
        let buffer = stream.buffers[index]
        buffer.info.sequence = sequence
        buffer.info.droppedBefore = progress.lostBefore
        buffer.info.rotation = rotation
        progress.lostBefore = 0
        buffer.hold()
        dispatch.displace()
        if !progress.hasFirst {
            progress.first()
            report(.first(buffer.info.timestamp))
        }
        do throws(DeviceError) {
            try stream.queue(home: stream.ring.take())
            // A sink that came after the acquire.
            if dispatch.wantsExport, !stream.hasExported, let note = try stream.export() { report(.note(note)) }
        } catch {
            _ = buffer.letGo()
            throw error
        }
        dispatch.deliver(buffer, mayLend: stream.queuedCount > 0)
        if buffer.letGo() { try stream.queue(index) }
    }

    func stalled(_ stream: CaptureStream) -> DeviceError {
        DeviceError(
            .stalled, operation: "poll", device: stream.node,
            reason: progress.hasFirst ? "the stream stands still" : "no first frame came",
            advice: "check the signal, the cable and the USB bandwidth")
    }

    /// Stops and starts the stream within the acquire; gives up by throwing when that has not helped.
    func mend(_ stream: CaptureStream, _ error: DeviceError, now: MonotonicTime) throws(DeviceError) {
        guard error.isRecoverable, error.kind != .absent, progress.restarts < CaptureProgress.restartLimit else {
            throw error
        }
        progress.restarts += 1
        report(.recovered(error))
        dispatch.displace()
        let answer = stream.stop()
        if -answer == Errno.ENODEV { throw stream.fault(Errno.ENODEV, .streamOff) }
        // What has come home is queued by the start with all others that nobody has.
        _ = stream.ring.take()
        try start(stream)
        progress.restart(now)
    }
}

extension FrameBuffer {
    /// Whether the frame is all there.
    var isWhole: Bool {
        for memory in memories.indices {
            guard used[memory].count >= layout.leastBytes[min(memory, layout.leastBytes.count - 1)] else {
                return false
            }
        }
        return layout.pixelFormat.isJPEG ? JPEGBounds.isWhole(bytes(memory: 0)) : true
    }
}
