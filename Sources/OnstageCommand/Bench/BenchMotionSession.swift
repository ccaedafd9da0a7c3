internal import Onstage
internal import OnstageCore
internal import OnstageLinux
internal import OnstageMotion

/// One `onstage bench motion`: a scene that goes on stage and off again, with a motion sensor.
///
/// *Runs on:* the main thread, which waits in one place and is not woken for samples.
final class BenchMotionSession {
    enum Message: Sendable {
        case event(BrokerEvent)
        /// The meter has all samples of this acquire.
        case measured
        case closed
    }

    /// One acquire, in milliseconds.
    struct Cycle {
        /// From the wish to the sensor being started.
        var open: Double?
        /// From the wish to the first sample in the sink.
        var first: Double?
        /// From the pause to the kernel having everything back.
        var release: Double?
    }

    private let options: BenchMotionOptions
    private let signals: SignalDescriptor
    private let mailbox: Mailbox<Message>
    private let broker: Broker
    private let scene: Scene
    private let motion: Motion
    private let meter: SampleMeter
    private var asked = MonotonicTime(nanoseconds: 0)
    private var device: ResolvedDevice?
    private var format: [(name: String, value: FormatValue)] = []
    private var cycles: [Cycle] = []
    private var faults = 0
    private var isStopping = false
    private var isOver = false
    private var status: Int32 = 0
    /// Of all acquires but the one that is being measured.
    private var totals: [BenchMotionResult.Samples] = []

    init(_ options: BenchMotionOptions, _ signals: SignalDescriptor) throws(DeviceError) {
        self.options = options
        self.signals = signals
        let sensor = try options.sensor.one()
        let configuration = MotionConfiguration(
            kind: sensor.kind, selector: sensor.selector,
            rate: options.rate.map { .hertz($0) } ?? .fastest, maxLatency: options.maxLatency)
        motion = Motion(configuration, name: configuration.kind.rawValue, isSynthetic: sensor.isSynthetic)
        let mailbox = try Mailbox<Message>()
        let meter = SampleMeter(limit: options.samples) { mailbox.send(.measured) }
        switch options.sink {
        case .inline: try motion.onSample(.inline) { meter.take($0) }
        case .queued: try motion.onSample(.queued) { meter.take($0) }
        case .together: try motion.onBatch { meter.take($0) }
        }
        broker = try Broker()
        broker.observe { mailbox.send(.event($0)) }
        scene = broker.scene("bench")
        (self.mailbox, self.meter) = (mailbox, meter)
    }

    func perform() throws(DeviceError) -> Int32 {
        do throws(BindingError) {
            try scene.bind(motion)
        } catch {
            throw DeviceError(.fatal, operation: "", device: "sensor", reason: "\(error)")
        }
        begin()
        var wait = WaitSet()
        while !isOver {
            wait.removeAll()
            wait.add(mailbox.descriptor)
            let signal = wait.add(signals.descriptor)
            _ = wait.waitForEvents(SystemClock(), waking: mailbox)
            if wait.answers(signal) != 0, !signals.drain().isEmpty { stop() }
            for message in mailbox.take() { take(message) }
        }
        let result = BenchMotionResult(
            device: device, format: format, sink: options.sink, batch: options.batch, samples: totals, cycles: cycles,
            dropped: motion.handle.counts.dropped, bad: motion.handle.counts.bad, faults: faults)
        let text = options.isJSON ? result.json.text + "\n" : result.text
        return max(status, Output.out(text) ? 0 : 1)
    }

    private func begin() {
        asked = .now
        cycles.append(Cycle())
        scene.resume()
    }

    /// Ends the acquire that stands; what it has measured counts.
    private func stop() {
        guard !isStopping else { return }
        isStopping = true
        scene.end()
        broker.close { [mailbox] in mailbox.send(.closed) }
    }

    private func take(_ message: Message) {
        switch message {
        case .measured:
            if cycles.count < options.cycles { scene.pause() } else { stop() }
        case .closed: isOver = true
        case .event(.acquired(_, let device, let format, _, let at)):
            (self.device, self.format) = (device, format.entries)
            cycles[cycles.count - 1].open = milliseconds(at - asked)
        case .event(.released(let receipt)): released(receipt)
        case .event(.recovered(_, let error, _)):
            faults += 1
            Output.complain("onstage bench motion: \(error)\n")
        case .event(.note(_, let note, _)): Output.complain("onstage bench motion: \(note)\n")
        case .event(.resourceChanged(_, let state, let error?, _)) where state != .closing && !isStopping:
            Output.complain("onstage bench motion: \(error)\n")
            status = 1
            stop()
        case .event: break
        }
    }

    private func released(_ receipt: ReleaseReceipt) {
        guard cycles.last?.release == nil else { return }
        if meter.count > 0 {
            cycles[cycles.count - 1].first = milliseconds(meter.first - asked)
            totals.append(BenchMotionResult.Samples(meter))
        }
        cycles[cycles.count - 1].release = receipt.released.map { milliseconds($0 - receipt.asked) }
        meter.reset()
        if !isStopping { begin() }
    }

    private func milliseconds(_ duration: Duration) -> Double { FixedPoint.seconds(duration) * 1000 }
}
