internal import CLinux
internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

extension MotionDriver {
    /// Takes all that is in the buffer, without waiting, and hands it on.
    func read(now: MonotonicTime) throws(DeviceError) {
        let before = lastRead
        lastRead = now
        while true {
            let answer = storage.fill(from: node)
            if answer == -Int(Errno.EAGAIN) { return }
            guard answer > 0 else { throw gone(Int32(-answer)) }
            handOn(since: before, now: now)
            if !storage.wasFilled { return }
        }
    }

    private func handOn(since before: MonotonicTime, now: MonotonicTime) {
        let count = storage.take()
        guard count > 0, let run = storage.run else { return }
        if !isMonotonic { setTimes(run, count, since: before, now: now) }
        delivery.take(run, count: count, isMonotonic: isMonotonic)
        storage.keepRest(count)
        lastSample = now
        if let since = silentSince {
            silentSince = nil
            let seconds = Double((now - since).wholeNanoseconds) / 1e9
            report(
                .note(
                    "samples again after \(SensorRate.text(max(0.001, (seconds * 1_000).rounded() / 1_000))) s of silence"
                ))
        }
    }

    /// Puts times of another clock on CLOCK_MONOTONIC; or those of the readings, where the device gives none.
    private func setTimes(_ run: SampleRun, _ count: Int, since before: MonotonicTime, now: MonotonicTime) {
        guard let clock = buffer?.clock else { return }
        if clock != .reading {
            let lead = clock.lead
            for index in 0..<count { run.set(time: run.time(index) &- lead, index) }
            return
        }
        // Spread over the time since the reading before: samples of one time and value would count as doubles.
        let step = max(1, (now.nanoseconds - before.nanoseconds) / Int64(count))
        for index in 0..<count { run.set(time: now.nanoseconds - Int64(count - 1 - index) * step, index) }
    }

    private func gone(_ errno: Int32) -> DeviceError {
        let device = sensor?.identity ?? configuration.kind.rawValue
        // The end of the file: only a node that is no longer one has it.
        guard errno != 0 else {
            return DeviceError(.absent, operation: "read", device: device, reason: "it has gone")
        }
        return DeviceError(errno: errno, operation: "read", device: device)
    }

    /// Switches the sensor off and on once, now that it has been silent for too long: some need it after a sleep, or when
    /// their first power-up was lost. Then it is awaited.
    func restartOnce(now: MonotonicTime) throws(DeviceError) {
        guard silentSince == nil, let buffer else { return }
        silentSince = lastSample
        delivery.shared.state.withLock { $0.statistics.restarts += 1 }
        report(
            .recovered(
                DeviceError(
                    .stalled, operation: "poll", device: buffer.sensor.identity,
                    reason:
                        "no sample for \(Duration.nanoseconds(limits.stall)); it is switched off and on once, and awaited"
                )))
        let errno = buffer.disable()
        if Self.meansGone(errno) { throw gone(errno) }
        // With the kernel's usual delay it would not really be switched off in between. The delay can be set from the first
        // disable on only; and it is not nothing, so that the kernel switches off on a thread of its own and not in ours.
        let file = powerDownFile(buffer.sensor)
        savedPowerDown = tree.attribute(file)
        let isQuick = savedPowerDown != nil && tree.write("20", to: file) == 0
        if !isQuick { savedPowerDown = nil }
        phase = .restarting(now + .milliseconds(isQuick ? 60 : 0))
    }

    func switchOnAgain(now: MonotonicTime) throws(DeviceError) {
        guard let buffer else { return }
        try buffer.enable()
        restorePowerDown()
        lastRead = now
        phase = .streaming
    }

    /// The delay that a restart has shortened for its own time.
    func restorePowerDown() {
        guard let saved = savedPowerDown, let sensor = buffer?.sensor else { return }
        savedPowerDown = nil
        _ = tree.write(saved, to: powerDownFile(sensor))
    }

    static func meansGone(_ errno: Int32) -> Bool {
        errno == Errno.ENODEV || errno == Errno.ENOENT || errno == Errno.ENXIO
    }

    /// Reads one sample of a device that has no buffer.
    func poll(now: MonotonicTime) throws(DeviceError) {
        guard let poller else { return }
        let before = MonotonicTime.now
        let (raw, errno) = poller.read(now: now)
        let after = MonotonicTime.now
        if Self.meansGone(errno) { throw gone(errno) }
        guard let raw else {
            delivery.shared.state.withLock { $0.counts.bad += 1 }
            // One line for a row of failures: the stream goes on.
            if poller.failures == 1 {
                report(
                    .recovered(
                        DeviceError(
                            errno: errno, operation: "read", device: poller.sensor.identity, reason: "a reading failed")
                    ))
            }
            return
        }
        delivery.take(
            raw: raw, time: before.nanoseconds + (after - before).wholeNanoseconds / 2, isMonotonic: true,
            isPolled: true)
    }
}
