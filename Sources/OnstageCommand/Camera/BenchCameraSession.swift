internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// One `onstage bench camera`: a scene that goes on stage and off again, with a camera.
///
/// *Runs on:* the main thread, which waits in one place and is not woken for frames.
final class BenchCameraSession {
    enum Message: Sendable {
        case event(BrokerEvent)
        /// The meter has all frames of this acquire.
        case measured
        case closed
    }

    /// One acquire, in milliseconds.
    struct Cycle {
        /// From the wish to the camera being started.
        var open: Double?
        /// From the wish to the first frame in the sink.
        var first: Double?
        /// From the pause to the kernel having everything back.
        var release: Double?
    }

    private let options: BenchCameraOptions
    private let signals: SignalDescriptor
    private let mailbox: Mailbox<Message>
    private let broker: Broker
    private let scene: Scene
    private let camera: Camera
    private let meter: FrameMeter
    private var asked = MonotonicTime(nanoseconds: 0)
    private var device: ResolvedDevice?
    private var format: [(name: String, value: FormatValue)] = []
    private var cycles: [Cycle] = []
    private var faults = 0
    private var isStopping = false
    private var isOver = false
    private var status: Int32 = 0
    /// Of all acquires but the one that is being measured.
    private var totals: [FrameMeter.Measured] = []

    init(_ options: BenchCameraOptions, _ signals: SignalDescriptor) throws(DeviceError) {
        self.options = options
        self.signals = signals
        camera = try Camera(options.configuration, isSynthetic: options.isSynthetic)
        let mailbox = try Mailbox<Message>()
        let meter = FrameMeter(limit: options.frames) { mailbox.send(.measured) }
        try camera.onFrame(options.place, as: options.pixels) { meter.take($0) }
        broker = try Broker()
        broker.observe { mailbox.send(.event($0)) }
        scene = broker.scene("bench")
        (self.mailbox, self.meter) = (mailbox, meter)
    }

    func perform() throws(DeviceError) -> Int32 {
        do throws(BindingError) {
            try scene.bind(camera)
        } catch {
            throw DeviceError(.fatal, operation: "", device: "camera", reason: "\(error)")
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
        let result = BenchCameraResult(
            device: device, format: format, place: options.place, frames: totals, cycles: cycles,
            dropped: camera.handle.counts.dropped, bad: camera.handle.counts.bad, faults: faults)
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
            Output.complain("onstage bench camera: \(error)\n")
        case .event(.note(_, let note, _)): Output.complain("onstage bench camera: \(note)\n")
        case .event(.resourceChanged(_, let state, let error?, _)) where state != .closing && !isStopping:
            Output.complain("onstage bench camera: \(error)\n")
            status = 1
            stop()
        case .event: break
        }
    }

    private func released(_ receipt: ReleaseReceipt) {
        guard cycles.last?.release == nil else { return }
        if let measured = meter.measured() {
            cycles[cycles.count - 1].first = milliseconds(measured.first - asked)
            totals.append(measured)
        }
        cycles[cycles.count - 1].release = receipt.released.map { milliseconds($0 - receipt.asked) }
        if !isStopping { begin() }
    }

    private func milliseconds(_ duration: Duration) -> Double { FixedPoint.seconds(duration) * 1000 }
}
