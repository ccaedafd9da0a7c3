package import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// Takes single pictures out of a camera's stream, beside its other sinks.
///
/// The frame is copied on the device's thread, which costs one pass over its pixels and no buffer of the device, and encoded
/// on a thread of its own.
public final class ImageCapture: Sendable {
    /// Why there is no picture.
    public enum Failure: Error, Hashable, Sendable {
        /// The camera was given back, or lost, before a frame came.
        case released
        /// It was called off, or the last reference to this object went.
        case cancelled
        /// The frame could not be encoded.
        case conversion(ConversionError)
    }

    fileprivate struct Request: Sendable {
        var id: UInt64
        /// Frames still to be left out.
        var skip: Int
        var encoding: PictureEncoding
        var pixels: FrameSink.Pixels
        var done: @Sendable (Result<PictureFile, Failure>) -> Void
    }

    /// What sink, thread and owner share; does not keep the owner.
    final class Desk: Sendable {
        private struct State {
            var waiting: [Request] = []
            var isEnded = false
            var hasThread = false
            var nextID: UInt64 = 0
        }

        /// Looked at for each frame; everything else only when it is not 0.
        private let count = Atomic<Int>(0)
        private let state = Mutex(State())
        /// What the thread that encodes has to do; closed by it when it ends.
        private let mailbox: Mailbox<(Request, Picture)>

        init() throws(DeviceError) {
            mailbox = try Mailbox()
        }

        func nextID() -> UInt64 {
            state.withLock { state in
                state.nextID += 1
                return state.nextID
            }
        }

        fileprivate func add(_ request: Request) {
            let isEnded = state.withLock { state in
                if !state.isEnded { state.waiting.append(request) }
                count.store(state.waiting.count, ordering: .releasing)
                return state.isEnded
            }
            if isEnded { request.done(.failure(.cancelled)) }
        }

        func cancel(_ id: UInt64) {
            let found = state.withLock { state -> Request? in
                guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
                defer { count.store(state.waiting.count, ordering: .releasing) }
                return state.waiting.remove(at: index)
            }
            found?.done(.failure(.cancelled))
        }

        /// A frame has come. *Runs on:* the device's thread.
        func take(_ frame: borrowing Frame) {
            guard count.load(ordering: .relaxed) > 0 else { return }
            let ready = state.withLock { state -> [Request] in
                var ready: [Request] = []
                var rest: [Request] = []
                for var request in state.waiting {
                    if request.skip == 0 {
                        ready.append(request)
                    } else {
                        request.skip -= 1
                        rest.append(request)
                    }
                }
                state.waiting = rest
                count.store(rest.count, ordering: .releasing)
                return ready
            }
            guard !ready.isEmpty else { return }
            let picture = frame.copy()
            for request in ready where !mailbox.send((request, picture)) {
                // The end came while the frame was copied.
                request.done(.failure(.cancelled))
            }
            let needsThread = state.withLock { state in
                defer { state.hasThread = true }
                return !state.hasThread
            }
            if needsThread { start() }
        }

        private func start() {
            do throws(DeviceError) {
                try PosixThread.start("onstage-picture") { [self] in run() }
            } catch {
                state.withLock { $0.hasThread = false }
                for (request, _) in mailbox.take() {
                    request.done(.failure(.conversion(ConversionError("\(error)"))))
                }
            }
        }

        /// The thread that encodes.
        private func run() {
            var wait = WaitSet()
            wait.add(mailbox.descriptor)
            while !state.withLock({ $0.isEnded }) {
                _ = wait.waitForEvents(SystemClock(), waking: mailbox)
                encode(mailbox.take())
            }
            encode(mailbox.close())
        }

        private func encode(_ work: [(Request, Picture)]) {
            for (request, picture) in work {
                do throws(ConversionError) {
                    request.done(.success(try picture.file(request.encoding, as: request.pixels)))
                } catch {
                    request.done(.failure(.conversion(error)))
                }
            }
        }

        func end() {
            fail(.cancelled, isEnded: true)
            mailbox.wake()
        }

        fileprivate func fail(_ failure: Failure, isEnded: Bool = false) {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                if isEnded { state.isEnded = true }
                count.store(0, ordering: .releasing)
                return state.waiting
            }
            for request in waiting { request.done(.failure(failure)) }
        }
    }

    private let desk: Desk
    private let sink: FrameSink

    /// - Throws: `tooMany` when the kernel gives no descriptor.
    package init(_ sinks: FrameSinks) throws(DeviceError) {
        let desk = try Desk()
        self.desk = desk
        sink = try sinks.add(.inline) { desk.take($0) }
        sinks.onWithdrawal(desk)
    }

    deinit {
        sink.remove()
        desk.end()
    }

    /// Takes the next frame, or the first after the next acquire when the camera is not open now.
    ///
    /// - Parameters:
    ///   - skip: frames to leave out first.
    ///   - pixels: how the picture is turned and scaled.
    ///   - done: called once, on a thread of this object's own, the device's, or the one where this object goes; must not
    ///     wait long.
    /// *Runs on:* any thread; never waits.
    public func take(
        _ encoding: PictureEncoding = .jpeg(), as pixels: FrameSink.Pixels = .native, skip: Int = 0,
        _ done: @escaping @Sendable (Result<PictureFile, Failure>) -> Void
    ) {
        desk.add(Request(id: desk.nextID(), skip: max(0, skip), encoding: encoding, pixels: pixels, done: done))
    }

    /// As ``take(_:as:skip:_:)``; a cancelled task gets `cancelled`.
    public func take(
        _ encoding: PictureEncoding = .jpeg(), as pixels: FrameSink.Pixels = .native, skip: Int = 0
    ) async throws(Failure) -> PictureFile {
        let id = desk.nextID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<PictureFile, Failure>, Never>) in
                desk.add(
                    Request(id: id, skip: max(0, skip), encoding: encoding, pixels: pixels) {
                        continuation.resume(returning: $0)
                    })
                if Task.isCancelled { desk.cancel(id) }
            }
        } onCancel: {
            desk.cancel(id)
        }
        return try result.get()
    }
}

extension ImageCapture.Desk: WithdrawnAtRelease {
    /// The camera is given back: who waits for a frame gets none.
    func withdraw() { fail(.released) }
}

extension ImageCapture.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .released: "the camera was given back before a frame came"
        case .cancelled: "it was called off"
        case .conversion(let error): error.description
        }
    }
}
