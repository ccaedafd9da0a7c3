internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// A scene whose resources are on stage until a command has what it wants of them.
///
/// *Runs on:* the main thread, which waits in one place.
final class HeldScene<Word: Sendable> {
    enum Message: Sendable {
        case event(BrokerEvent)
        /// What the command's own sinks have to say.
        case word(Word)
        case closed
    }

    let mailbox: Mailbox<Message>
    /// What is really set on a device, by the resource's name.
    private(set) var formats: [String: ReportedFormat] = [:]
    /// A signal has ended it.
    private(set) var isInterrupted = false
    private let program: String
    private let awaited: String
    private let signals: SignalDescriptor
    private let broker: Broker
    private let scene: Scene
    private let patience: Duration?
    private var error: DeviceError?
    /// What was last said to be waited for.
    private var waitsFor: String?

    /// - Parameters:
    ///   - patience: how long a device that is not there or in use is waited for; nil: not at all.
    ///   - program: as complaints begin.
    ///   - awaited: what the resources are held for ("frame").
    init(
        _ program: String, awaited: String, patience: Duration?, _ signals: SignalDescriptor
    ) throws(DeviceError) {
        (self.program, self.awaited, self.patience, self.signals) = (program, awaited, patience, signals)
        let mailbox = try Mailbox<Message>()
        self.mailbox = mailbox
        broker = try Broker()
        broker.observe { mailbox.send(.event($0)) }
        scene = broker.scene("held")
    }

    /// Holds the resources until `isDone` says so of a message, the time is up or a signal comes; then gives them back.
    ///
    /// - Parameter duration: since the first frame or sample; nil for no end.
    /// - Throws: the device's error, when it is not to be waited for; what `isDone` throws.
    func run(
        _ resources: [any Resource], until duration: Duration?, _ isDone: (Message) throws(DeviceError) -> Bool
    ) throws(DeviceError) {
        var fault: DeviceError?
        do throws(DeviceError) {
            for resource in resources { try bind(resource) }
            scene.resume()
            try wait(duration, isDone)
        } catch {
            fault = error
        }
        close()
        if let fault { throw fault }
    }

    private func bind(_ resource: any Resource) throws(DeviceError) {
        do throws(BindingError) {
            try scene.bind(resource)
        } catch {
            throw DeviceError(.fatal, operation: "", device: resource.handle.name, reason: "\(error)")
        }
    }

    private func wait(_ duration: Duration?, _ isDone: (Message) throws(DeviceError) -> Bool) throws(DeviceError) {
        var end: MonotonicTime?
        let giveUp = patience.map { MonotonicTime.now + $0 }
        var hasBegun = false
        while true {
            let messages = next(end ?? (hasBegun ? nil : giveUp))
            if isInterrupted { return }
            for message in messages {
                if case .event(.first(_, let at)) = message {
                    hasBegun = true
                    if let duration { end = end ?? at + duration }
                }
                if case .event(let event) = message { try take(event) }
                if try isDone(message) { return }
            }
            let now = MonotonicTime.now
            if let end, now >= end { return }
            if !hasBegun, let giveUp, now >= giveUp {
                throw error
                    ?? DeviceError(.stalled, operation: "", device: program, reason: "no \(awaited) has come in time")
            }
        }
    }

    private func next(_ deadline: MonotonicTime?) -> [Message] {
        var wait = WaitSet()
        wait.add(mailbox.descriptor)
        let signal = wait.add(signals.descriptor)
        if let deadline { wait.wake(at: deadline) }
        _ = wait.waitForEvents(SystemClock(), waking: mailbox)
        if wait.answers(signal) != 0, !signals.drain().isEmpty { isInterrupted = true }
        return mailbox.take()
    }

    private func take(_ event: BrokerEvent) throws(DeviceError) {
        switch event {
        case .acquired(let name, _, let format, _, _):
            formats[name.resource] = format
            waitsFor = nil
        case .note(_, let note, _): Output.complain("\(program): \(note)\n")
        case .recovered(_, let error, _): Output.complain("\(program): \(error)\n")
        case .resourceChanged(_, let state, let error?, _) where state != .closing:
            self.error = error
            if patience == nil || !error.isRecoverable { throw error }
            // Once for as long as it lasts.
            let wait = "\(error)"
            if wait != waitsFor { Output.complain("\(program): waits: \(wait)\n") }
            waitsFor = wait
        default: break
        }
    }

    /// Gives everything back and ends the broker.
    private func close() {
        scene.end()
        broker.close { [mailbox] in mailbox.send(.closed) }
        while true {
            var wait = WaitSet()
            wait.add(mailbox.descriptor)
            _ = wait.waitForEvents(SystemClock(), waking: mailbox)
            for case .closed in mailbox.take() { return }
        }
    }
}
