import OnstageCore
import Synchronization

/// A clock that moves only when told to.
final class StillClock: MonotonicClock {
    private let time = Atomic<Int64>(1_000_000_000)

    var now: MonotonicTime { MonotonicTime(nanoseconds: time.load(ordering: .relaxed)) }

    func timeout(until deadline: MonotonicTime?, waking waker: any Waker) -> Int64 { 0 }

    func advance(to moment: MonotonicTime) {
        if moment > now { time.store(moment.nanoseconds, ordering: .relaxed) }
    }

    func advance(by duration: Duration) {
        advance(to: now + duration)
    }
}
