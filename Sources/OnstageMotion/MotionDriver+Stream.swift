internal import CLinux
internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

extension MotionDriver {
    /// How long to wait for a sample before looking whether the device is still there: a poll on the node of a device
    /// that was pulled out is not ended by every kernel.
    var probeInterval: Duration { max(.milliseconds(250), period * 5) }

    private var stallLimit: Duration { max(configuration.stallLimit, period * 5) + latency }

    /// Takes all that is in the buffer, without waiting, and hands it on.
    func read(now: MonotonicTime) throws(DeviceError) {
        guard let buffer else { return }
        lastRead = now
        while true {
            let answer = storage.fill(from: buffer.descriptor)
            if answer == -Int(Errno.EAGAIN) { return }
            guard answer > 0 else { throw gone(Int32(-answer)) }
            handOn(buffer, now: now)
            if !storage.wasFilled { return }
        }
    }

    private func handOn(_ buffer: SensorBuffer, now: MonotonicTime) {
        let decoder = buffer.decoder
        let clock = buffer.clock
        let lead = clock.lead
        let scale = scale
        let delivery = delivery
        let count = storage.decode(decoder) { raw, time in
            let unmounted = scale.unmounted(raw)
            delivery.take(
                raw: raw, value: scale.mount * unmounted, unmounted: unmounted,
                time: clock == .reading ? now.nanoseconds : time - lead, isMonotonic: clock == .monotonic)
        }
        guard count > 0 else { return }
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

    private func gone(_ errno: Int32) -> DeviceError {
        let device = sensor?.identity ?? configuration.kind.rawValue
        // The end of the file: only a node that is no longer one has it.
        guard errno != 0 else {
            return DeviceError(.absent, operation: "read", device: device, reason: "it has gone")
        }
        return DeviceError(errno: errno, operation: "read", device: device)
    }

    /// Switches the sensor off and on once when it has been silent for too long: some need it after a sleep, or when
    /// their first power-up was lost. Then it is awaited.
    func restartIfSilent(now: MonotonicTime) throws(DeviceError) {
        guard case .streaming = phase, silentSince == nil, now - lastSample >= stallLimit, let buffer else { return }
        silentSince = lastSample
        delivery.shared.statistics.withLock { $0.restarts += 1 }
        report(
            .recovered(
                DeviceError(
                    .stalled, operation: "poll", device: buffer.sensor.identity,
                    reason: "no sample for \(stallLimit); it is switched off and on once, and awaited")))
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

    /// The delay that a restart has set to nothing for its own time.
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
            delivery.shared.counts.withLock { $0.bad += 1 }
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
        let unmounted = scale.unmounted(raw)
        delivery.take(
            raw: raw, value: scale.mount * unmounted, unmounted: unmounted,
            time: before.nanoseconds + (after - before).wholeNanoseconds / 2, isMonotonic: true, isPolled: true)
    }
}
