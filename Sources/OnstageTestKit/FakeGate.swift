internal import Glibc
internal import OnstageCore
internal import Synchronization

/// Where a call on a device's thread stands until a test lets it through.
final class FakeGate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var isReached = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func open() {
        state.withLock { $0.isOpen = true }
    }

    /// Stands until the gate is open, or the acquire is called off. *Runs on:* a device's thread.
    func pass(_ cancellation: (any CancellationSource)?) {
        let waiting = state.withLock { state in
            state.isReached = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
        // A thread that stands in the kernel cannot be woken either: it looks again each millisecond.
        while !state.withLock({ $0.isOpen }) {
            if cancellation?.isCancelled == true { return }
            _ = poll(nil, 0, 1)
        }
    }

    func reached() async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if !state.isReached { state.waiting.append(continuation) }
                return state.isReached
            }
            if isReached { continuation.resume() }
        }
    }
}
