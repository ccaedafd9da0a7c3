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

/// A seeded source of chance (SplitMix64).
struct Chance: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
