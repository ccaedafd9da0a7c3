internal import OnstageCore
internal import OnstageLinux

extension MotionDriver {
    /// Opens and sets up everything and switches the sensor on; a throw leaves everything as it was.
    func start(_ sensor: IIOSensor, _ cancellation: (any CancellationSource)?) throws(DeviceError) -> Acquired {
        do {
            return sensor.hasBuffer ? try startBuffer(sensor, cancellation) : try startPolling(sensor)
        } catch {
            stop()
            phase = .closed
            throw error
        }
    }

    private func startBuffer(_ sensor: IIOSensor, _ cancellation: (any CancellationSource)?) throws(DeviceError)
        -> Acquired
    {
        let buffer = SensorBuffer(sensor, tree: tree)
        self.buffer = buffer
        let wishes = delivery.wishes(configuration)
        latency = max(.zero, wishes.latency)

        try cancellation?.check("open", device: sensor.identity)
        try buffer.claim()
        try cancellation?.check("current_trigger", device: sensor.identity)
        try buffer.chooseTrigger(configuration.trigger)
        try cancellation?.check("sampling_frequency", device: sensor.identity)
        var rate = SensorRate(sensor, trigger: buffer.trigger, tree: tree)
        try apply(&rate, wishes.rate, to: buffer)
        self.rate = rate
        try cancellation?.check("current_timestamp_clock", device: sensor.identity)
        buffer.chooseClock()
        try cancellation?.check("scan_elements", device: sensor.identity)
        description = try buffer.chooseChannels(description)
        scale = SensorScale(sensor, mount: configuration.mountMatrix, tree: tree)
        if scale.isGuessed { buffer.note("the device names no scale: 1 was taken") }
        try cancellation?.check("buffer/length", device: sensor.identity)
        try size(buffer)
        try cancellation?.check("buffer/enable", device: sensor.identity)
        try buffer.enable()
        setPowerDown(buffer.sensor)

        let most = storage.reserve(samples: min(buffer.length, 4_096), buffer.decoder)
        node = buffer.descriptor
        isMonotonic = buffer.clock == .monotonic
        let now = MonotonicTime.now
        lastSample = now
        lastRead = now
        silentSince = nil
        delivery.begin(period: period, configuration: configuration, scale: scale, now: now, most: most)
        phase = .streaming
        return Acquired(
            format: [
                ("rateAsked", Self.value(wishes.rate)), ("rate", rate.real.map { .number($0) } ?? .text("unknown")),
                ("scale", .number(scale.scale.x)),
                ("clock", .text(buffer.clock.name)), ("trigger", .text(buffer.trigger ?? "none")),
                ("polled", .flag(false)),
            ], notes: buffer.notes)
    }

    private func apply(_ rate: inout SensorRate, _ asked: Double, to buffer: SensorBuffer) throws(DeviceError) {
        let (refusal, note) = rate.set(asked)
        if let refusal { throw buffer.error(refusal.errno, refusal.path) }
        if let note { buffer.note(note) }
        period = rate.real.map { Hertz($0).period } ?? (asked.isFinite ? Hertz(asked).period : .zero)
    }

    /// Room for what comes while a batch is awaited, and as much again; at least half a second's worth.
    private func size(_ buffer: SensorBuffer) throws(DeviceError) {
        let perSecond = period > .zero ? 1e9 / Double(period.wholeNanoseconds) : 1_000
        let batch = perSecond * Double(latency.wholeNanoseconds) / 1e9
        let length = Int(max(64, min(65_536, max(2 * batch, perSecond / 2))).rounded(.up))
        try buffer.size(length: length, watermark: max(1, min(length / 2, Int(batch))))
        // A buffer that is shorter than was wished must be emptied sooner.
        if latency > .zero, period > .zero { latency = min(latency, period * max(1, buffer.length / 2)) }
    }

    /// How soon the kernel may switch the sensor off once it is released.
    ///
    /// A HID sensor takes it only after it has been disabled once; until then it is tried again at the release.
    private func setPowerDown(_ sensor: IIOSensor) {
        guard let delay = configuration.powerDownDelay else { return }
        let milliseconds = max(0, delay.wholeNanoseconds / 1_000_000)
        needsPowerDown = tree.write(String(milliseconds), to: powerDownFile(sensor)) != 0
    }

    /// The same after the buffer has been disabled. With 20 ms at least: the kernel would switch off within the write, and
    /// with a sensor that answers late the release would wait for it.
    private func setPowerDownAtRelease(_ sensor: IIOSensor) {
        guard needsPowerDown, let delay = configuration.powerDownDelay else { return }
        needsPowerDown = false
        let file = powerDownFile(sensor)
        let errno = tree.write(String(max(20, delay.wholeNanoseconds / 1_000_000)), to: file)
        if errno != 0 {
            report(.note("\(file) could not be set (\(Errno.name(errno))): the sensor goes off later than wished"))
        }
    }

    func powerDownFile(_ sensor: IIOSensor) -> String {
        "\(sensor.parent)/power/autosuspend_delay_ms"
    }

    private func startPolling(_ sensor: IIOSensor) throws(DeviceError) -> Acquired {
        let wishes = delivery.wishes(configuration)
        var rate = SensorRate(sensor, trigger: nil, tree: tree)
        // The device's own rate only has to be high enough; a refusal is no reason not to read it.
        let note = rate.set(min(wishes.rate, SensorPoller.fastest)).note
        self.rate = rate
        scale = SensorScale(sensor, mount: configuration.mountMatrix, tree: tree)
        let asked = min(wishes.rate, SensorPoller.fastest)
        poller = try SensorPoller(sensor, period: Hertz(asked).period, tree: tree)
        period = Hertz(asked).period
        latency = .zero
        delivery.begin(period: period, configuration: configuration, scale: scale, now: .now)
        phase = .polling
        var notes = ["polled: the device has no buffer"]
        if let note, rate.real != nil { notes.append(note) }
        if scale.isGuessed { notes.append("the device names no scale: 1 was taken") }
        return Acquired(
            format: [
                ("rateAsked", Self.value(wishes.rate)), ("rate", .number(asked)), ("scale", .number(scale.scale.x)),
                ("clock", .text("time of reading")), ("trigger", .text("none")), ("polled", .flag(true)),
            ], notes: notes)
    }

    /// Gives back everything that is held.
    func stop() {
        delivery.end()
        restorePowerDown()
        if let buffer {
            let wasEnabled = buffer.isEnabled
            buffer.close()
            if wasEnabled { setPowerDownAtRelease(buffer.sensor) }
        }
        buffer = nil
        node = -1
        poller?.close()
        poller = nil
        rate = nil
    }

    /// Does what new or gone listeners want: switches on for the first, off after the last, and sets the fastest rate.
    func followListeners(now: MonotonicTime) throws(DeviceError) {
        if case .closed = phase { return }
        guard delivery.isListenedTo else {
            stop()
            phase = .idle
            // Looked at with no listener: the next change is a new one.
            delivery.retune(period: .zero, configuration: configuration)
            return
        }
        if case .idle = phase {
            guard let sensor else { return }
            for note in try start(sensor, nil).notes { report(.note(note)) }
            return
        }
        if let buffer, var rate {
            defer { self.rate = rate }
            let wishes = delivery.wishes(configuration)
            let before = period
            let (refusal, _) = rate.set(wishes.rate)
            if refusal?.errno == Errno.EBUSY, buffer.isEnabled {
                // This driver changes its rate only while the buffer is off.
                buffer.disable()
                _ = rate.set(wishes.rate)
                try buffer.enable()
            }
            period = rate.real.map { Hertz($0).period } ?? before
            latency = max(
                .zero, min(wishes.latency, period > .zero ? period * max(1, buffer.length / 2) : wishes.latency))
            if period != before { report(.note("rate is now \(SensorRate.text(rate.real ?? 0)) Hz")) }
        }
        delivery.retune(period: period, configuration: configuration, most: storage.capacity)
    }
}
