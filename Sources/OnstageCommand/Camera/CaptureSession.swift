internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// A scene with a camera, held until something is done with its frames.
///
/// *Runs on:* the main thread, which waits in one place.
final class CaptureSession {
    enum Message: Sendable {
        case event(BrokerEvent)
        case picture(Result<PictureFile, ImageCapture.Failure>)
        /// The frames that were wanted have come, or no more can be taken.
        case done
        case closed
    }

    let mailbox: Mailbox<Message>
    let camera: Camera
    private(set) var device: ResolvedDevice?
    private let program: String
    private let signals: SignalDescriptor
    private let broker: Broker
    private let scene: Scene
    private let patience: Duration?
    private let pick: CameraPick
    private var error: DeviceError?
    /// What was last said to be waited for.
    private var waitsFor: String?
    /// A signal has ended it.
    private(set) var isInterrupted = false

    init(_ pick: CameraPick, _ signals: SignalDescriptor, program: String) throws(DeviceError) {
        self.pick = pick
        self.signals = signals
        self.program = program
        patience = pick.patience
        camera = try Camera(pick.configuration, isSynthetic: pick.isSynthetic)
        let mailbox = try Mailbox<Message>()
        self.mailbox = mailbox
        broker = try Broker()
        broker.observe { mailbox.send(.event($0)) }
        scene = broker.scene("capture")
    }

    /// The next picture; the camera has been given back then.
    /// - Throws: why there is none.
    func picture(_ encoding: PictureEncoding) throws(DeviceError) -> PictureFile {
        let capture = try camera.imageCapture()
        capture.take(encoding, as: pick.pixels) { [mailbox] in mailbox.send(.picture($0)) }
        var picture: PictureFile?
        try run(until: nil) { message throws(DeviceError) in
            guard case .picture(let result) = message else { return false }
            do throws(ImageCapture.Failure) {
                picture = try result.get()
            } catch {
                throw DeviceError(.inputOutput, operation: "", device: "camera", reason: "\(error)")
            }
            return true
        }
        guard let picture else {
            throw DeviceError(.cancelled, operation: "", device: "camera", reason: "no picture was taken")
        }
        return picture
    }

    /// Holds the camera until `isDone` says so of a message, the time is up or a signal comes; then gives it back.
    ///
    /// - Parameter duration: since the first frame; nil for no end.
    /// - Throws: the camera's error, when it is not to be waited for; what `isDone` throws.
    func run(
        until duration: Duration?, _ isDone: (Message) throws(DeviceError) -> Bool
    ) throws(DeviceError) {
        do throws(BindingError) {
            try scene.bind(camera)
        } catch {
            throw DeviceError(.fatal, operation: "", device: "camera", reason: "\(error)")
        }
        scene.resume()
        var fault: DeviceError?
        do throws(DeviceError) {
            try wait(duration, isDone)
        } catch {
            fault = error
        }
        close()
        if let fault { throw fault }
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
                    ?? DeviceError(.stalled, operation: "", device: "camera", reason: "no frame has come in time")
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
        case .acquired(_, let device, _, _, _): (self.device, waitsFor) = (device, nil)
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

    /// Gives the camera back and ends the broker.
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
