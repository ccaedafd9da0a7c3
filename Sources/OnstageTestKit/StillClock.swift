public import OnstageCore
internal import Synchronization

/// A clock that stands still until a test moves it.
///
/// Threads that wait for a deadline wait until the time is there, however long that takes.
public final class StillClock: MonotonicClock, Sendable {
    private struct Waiting: Sendable {
        var deadline: MonotonicTime
        var waker: any Waker
    }

    private struct State: Sendable {
        var now = MonotonicTime(nanoseconds: 1_000_000_000_000)
        var waiting: [Waiting] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var now: MonotonicTime { state.withLock { $0.now } }

    /// Moves the time on and wakes whoever waited for it.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now + duration
            let now = state.now
            let due = state.waiting.filter { $0.deadline <= now }
            state.waiting.removeAll { $0.deadline <= now }
            return due
        }
        for waiting in due { waiting.waker.wake() }
    }

    /// The earliest deadline that somebody waits for, if any.
    public var nextDeadline: MonotonicTime? {
        state.withLock { $0.waiting.map(\.deadline).min() }
    }

    package func timeout(until deadline: MonotonicTime?, waking waker: any Waker) -> Int64 {
        state.withLock { state in
            state.waiting.removeAll { $0.waker === waker }
            guard let deadline else { return -1 }
            guard deadline > state.now else { return 0 }
            state.waiting.append(Waiting(deadline: deadline, waker: waker))
            return -1
        }
    }
}
