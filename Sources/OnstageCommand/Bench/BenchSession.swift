internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// What measures what a resource hands over, one acquire after the other.
protocol BenchMeter: AnyObject, Sendable {
    associatedtype Measured: BenchMeasured
    /// What it has measured since the last time; it begins anew for the next acquire. Nil for nothing.
    func measured() -> Measured?
}

protocol BenchMeasured {
    /// When the first was handed over.
    var first: MonotonicTime { get }
}

/// What wakes a ``BenchSession``.
enum BenchMessage: Sendable {
    case event(BrokerEvent)
    /// The meter has all it is to have of this acquire.
    case measured
    case closed
}

/// One `onstage bench camera` or `motion`: a scene that goes on stage and off again, with one resource.
///
/// *Runs on:* the main thread, which waits in one place and is not woken for what is measured.
final class BenchSession<Meter: BenchMeter> {
    /// What it is called in complaints: "camera".
    private let name: String
    private let limit: Int
    private let resource: any Resource
    private let meter: Meter
    private let signals: SignalDescriptor
    private let mailbox: Mailbox<BenchMessage>
    private let broker: Broker
    private let scene: Scene
    private var asked = MonotonicTime(nanoseconds: 0)
    /// What the resource had counted as dropped when the acquire began; nil between its measuring and the next.
    private var droppedBefore: UInt64?
    private var isStopping = false
    private var isOver = false
    private var outcome = BenchOutcome<Meter.Measured>()
    /// 1 when the resource has failed.
    private(set) var status: Int32 = 0

    /// - Parameters:
    ///   - cycles: how often it is acquired.
    ///   - mailbox: where the meter says that it has all.
    init(
        _ name: String, _ resource: any Resource, _ meter: Meter, cycles: Int, _ mailbox: Mailbox<BenchMessage>,
        _ signals: SignalDescriptor
    ) throws(DeviceError) {
        (self.name, self.resource, self.meter, limit) = (name, resource, meter, cycles)
        (self.mailbox, self.signals) = (mailbox, signals)
        broker = try Broker()
        broker.observe { mailbox.send(.event($0)) }
        scene = broker.scene("bench")
    }

    /// Measures to the end, or until a signal comes: what has been measured by then counts.
    func perform() throws(DeviceError) -> BenchOutcome<Meter.Measured> {
        do throws(BindingError) {
            try scene.bind(resource)
        } catch {
            throw DeviceError(.fatal, operation: "", device: name, reason: "\(error)")
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
        outcome.counts = resource.handle.counts
        return outcome
    }

    private func begin() {
        asked = .now
        outcome.cycles.append(BenchCycle())
        droppedBefore = resource.handle.counts.dropped
        scene.resume()
    }

    /// Counts what the sink missed of this acquire so far: what lies in its queue at the release is dropped too, and nobody
    /// waits for it.
    private func countDropped() {
        guard let before = droppedBefore.take() else { return }
        outcome.dropped += resource.handle.counts.dropped - before
    }

    /// Ends the acquire that stands; what it has measured counts.
    private func stop() {
        guard !isStopping else { return }
        isStopping = true
        countDropped()
        scene.end()
        broker.close { [mailbox] in mailbox.send(.closed) }
    }

    private func take(_ message: BenchMessage) {
        switch message {
        case .measured:
            guard outcome.cycles.count < limit else { return stop() }
            countDropped()
            scene.pause()
        case .closed: isOver = true
        case .event(.acquired(_, let device, let format, _, let at)):
            (outcome.device, outcome.format) = (device, format.entries)
            outcome.cycles[outcome.cycles.count - 1].open = milliseconds(at - asked)
        case .event(.released(let receipt)): released(receipt)
        case .event(.recovered(_, let error, _)):
            outcome.faults += 1
            complain("\(error)")
        case .event(.note(_, let note, _)): complain(note)
        case .event(.resourceChanged(_, let state, let error?, _)) where state != .closing && !isStopping:
            complain("\(error)")
            status = 1
            stop()
        case .event: break
        }
    }

    private func released(_ receipt: ReleaseReceipt) {
        guard outcome.cycles.last?.release == nil else { return }
        let cycle = outcome.cycles.count - 1
        if let measured = meter.measured() {
            outcome.cycles[cycle].first = milliseconds(measured.first - asked)
            outcome.measured.append(measured)
        }
        outcome.cycles[cycle].release = receipt.released.map { milliseconds($0 - receipt.asked) }
        if !isStopping { begin() }
    }

    private func complain(_ text: String) {
        Output.complain("onstage bench \(name): \(text)\n")
    }

    private func milliseconds(_ duration: Duration) -> Double { FixedPoint.seconds(duration) * 1000 }
}
