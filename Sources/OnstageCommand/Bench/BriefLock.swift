internal import Glibc
internal import Synchronization

/// A lock for what takes less than a microsecond, seldom asked for by two at once: a `Mutex` would cost more than what a meter
/// guards, and what is measured is not to be the measuring. *Runs on:* any thread.
struct BriefLock: ~Copyable {
    private let isTaken = Atomic<Bool>(false)

    func take() {
        while isTaken.exchange(true, ordering: .acquiring) { sched_yield() }
    }

    func giveBack() {
        isTaken.store(false, ordering: .releasing)
    }
}
