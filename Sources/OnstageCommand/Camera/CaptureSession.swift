internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// A camera, held until something is done with its frames. *Runs on:* the main thread.
struct CaptureSession {
    enum Word: Sendable {
        case picture(Result<PictureFile, ImageCapture.Failure>)
        /// The frames that were wanted have come, or no more can be taken.
        case done
    }

    let camera: Camera
    private let held: HeldScene<Word>
    private let pick: CameraPick

    init(_ pick: CameraPick, _ signals: SignalDescriptor, program: String) throws(DeviceError) {
        self.pick = pick
        camera = try Camera(pick.configuration, isSynthetic: pick.isSynthetic)
        held = try HeldScene(program, awaited: "frame", patience: pick.patience, signals)
    }

    var mailbox: Mailbox<HeldScene<Word>.Message> { held.mailbox }

    /// The one that was acquired.
    var device: ResolvedDevice? { camera.device }

    /// The next picture; the camera has been given back then.
    /// - Throws: why there is none.
    func picture(_ encoding: PictureEncoding) throws(DeviceError) -> PictureFile {
        let capture = try camera.imageCapture()
        capture.take(encoding, as: pick.pixels) { [mailbox] in mailbox.send(.word(.picture($0))) }
        var picture: PictureFile?
        try held.run([camera], until: nil) { message throws(DeviceError) in
            guard case .word(.picture(let result)) = message else { return false }
            do throws(ImageCapture.Failure) {
                picture = try result.get()
            } catch {
                throw DeviceError(.inputOutput, operation: "", device: camera.handle.name, reason: "\(error)")
            }
            return true
        }
        guard let picture else {
            throw DeviceError(.cancelled, operation: "", device: camera.handle.name, reason: "no picture was taken")
        }
        return picture
    }

    /// Holds the camera until a sink says ``Word/done``, the time since the first frame is up or a signal comes.
    /// - Throws: the camera's error, when it is not to be waited for.
    func run(until duration: Duration?) throws(DeviceError) {
        try held.run([camera], until: duration) { if case .word(.done) = $0 { true } else { false } }
    }
}
