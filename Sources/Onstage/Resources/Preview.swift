public import OnstageCamera
public import OnstageCore
internal import Synchronization

/// Shows a camera's pictures to a person while the scene is active, and a shade when it is not.
///
///     let preview = try Preview(camera, width: 1280, height: 720) { frame in window.show(frame) }
///     scene.add(preview)
///
/// The shade is a black frame, handed to the same `body` before any observer hears that the scene resigns; between it and
/// the return no frame is shown, also not one that was being converted.
public final class Preview: ShadeSink {
    private struct State {
        var isShaded = false
        /// Of the last picture.
        var width: Int
        var height: Int
    }

    private let state: Mutex<State>
    private let body: @Sendable (borrowing Frame) -> Void
    private let sink = Mutex<FrameSink?>(nil)

    /// - Parameters:
    ///   - width: pictures fit into it, in pixels; nil with `height` for the camera's own size.
    ///   - isMirrored: as a person expects of a picture of itself.
    ///   - body: shows one picture, B, G, R, A. *Runs on:* a thread of the preview's own; for the shade on the broker's
    ///     callback executor, which waits for a picture that is being shown: it must return within a frame.
    /// - Throws: `tooMany` when the kernel gives no thread.
    public init(
        _ camera: Camera, width: Int? = nil, height: Int? = nil, isMirrored: Bool = false,
        _ body: @escaping @Sendable (borrowing Frame) -> Void
    ) throws(DeviceError) {
        self.body = body
        state = Mutex(State(width: width ?? 640, height: height ?? 480))
        let pixels = FrameSink.Pixels.bgra(width: width, height: height, rotation: .upright, isMirrored: isMirrored)
        let made = try camera.onFrame(.queued, as: pixels) { [weak self] in self?.show($0) }
        sink.withLock { $0 = made }
    }

    deinit { sink.withLock { $0 }?.remove() }

    private func show(_ frame: borrowing Frame) {
        // Held while the picture is shown: after the shade there must be none.
        state.withLock { state in
            guard !state.isShaded else { return }
            (state.width, state.height) = (frame.width, frame.height)
            body(frame)
        }
    }

    public func showShade() {
        state.withLock { state in
            guard !state.isShaded else { return }
            state.isShaded = true
            Frame.withShade(width: state.width, height: state.height) { body($0) }
        }
    }

    public func hideShade() {
        state.withLock { $0.isShaded = false }
    }
}
