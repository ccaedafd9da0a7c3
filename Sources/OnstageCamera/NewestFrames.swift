internal import Synchronization

/// A camera's frames, the newest at each turn.
public struct NewestFrames: AsyncSequence, Sendable {
    public typealias Element = KeptFrame
    public typealias Failure = Never

    /// One frame waiting, or one reader waiting.
    final class Slot: WithdrawnAtRelease {
        private struct State {
            var frame: KeptFrame?
            var reader: CheckedContinuation<KeptFrame?, Never>?
            var isEnded = false
        }
        private let state = Mutex(State())
        let sink = Mutex<FrameSink?>(nil)

        deinit {
            sink.withLock { $0 }?.remove()
        }

        /// Consuming: the reader's reference is then the last, and the buffer comes home from the reader's thread.
        func put(_ frame: consuming KeptFrame) {
            let frame = frame
            let reader = state.withLock { state -> CheckedContinuation<KeptFrame?, Never>? in
                if state.isEnded { return nil }
                guard let reader = state.reader else {
                    state.frame = frame
                    return nil
                }
                state.reader = nil
                return reader
            }
            reader?.resume(returning: consume frame)
        }

        func withdraw() {
            let old = state.withLock { state -> KeptFrame? in
                defer { state.frame = nil }
                return state.frame
            }
            _ = old  // let go outside of the lock
        }

        func end() {
            let reader = state.withLock { state -> CheckedContinuation<KeptFrame?, Never>? in
                state.isEnded = true
                state.frame = nil
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }

        func next() async -> KeptFrame? {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let answer = state.withLock { state -> KeptFrame?? in
                        if state.isEnded { return .some(nil) }
                        if let frame = state.frame {
                            state.frame = nil
                            return .some(frame)
                        }
                        precondition(state.reader == nil, "one reader at a time")
                        state.reader = continuation
                        return .none
                    }
                    if case .some(let frame) = answer { continuation.resume(returning: frame) }
                }
            } onCancel: {
                end()
            }
        }
    }

    /// Ends its sink with its last copy.
    fileprivate final class Owner: Sendable {
        let slot: Slot
        init(_ slot: Slot) { self.slot = slot }
        deinit {
            slot.sink.withLock { $0 }?.remove()
            slot.end()
        }
    }
    private let owner: Owner

    init(slot: Slot) {
        owner = Owner(slot)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let owner: Owner

        public mutating func next() async -> KeptFrame? {
            await owner.slot.next()
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> KeptFrame? {
            await owner.slot.next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(owner: owner)
    }
}
