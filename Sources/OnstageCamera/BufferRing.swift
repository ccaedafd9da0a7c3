internal import CLinux
internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// Where lent buffers come home to: one for each acquire, shared by its buffers.
///
/// The device's thread alone queues buffers. Whoever gives the last hold of one back, on any thread, sets its bit here;
/// the device's thread takes the bits when the next frame comes. Only when no frame can come, because the device has no
/// buffer left or a sink lets it wait, does it wait for a hand-back: then, and only then, each one wakes it.
final class BufferRing: Sendable {
    private let home = Atomic<UInt32>(0)
    private let isStarving = Atomic<Bool>(false)
    private let bell: HomeBell

    init(bell: HomeBell) {
        self.bell = bell
    }

    /// A buffer's last hold is given back. *Runs on:* any thread.
    func comeHome(_ index: Int) {
        _ = home.bitwiseOr(1 << UInt32(index), ordering: .sequentiallyConsistent)
        nudge()
    }

    /// Somebody is done with a frame that others still have: a sink that lets the camera wait may have room again.
    /// *Runs on:* any thread.
    func nudge() {
        if isStarving.exchange(false, ordering: .sequentiallyConsistent) { bell.ring() }
    }

    /// The buffers that have come home, as bits. *Runs on:* the device's thread.
    func take() -> UInt32 {
        guard home.load(ordering: .relaxed) != 0 else { return 0 }
        return home.exchange(0, ordering: .acquiringAndReleasing)
    }

    /// Waits for the next hand-back, which the bell tells of. *Runs on:* the device's thread.
    ///
    /// - Parameters:
    ///   - last: the turn before, which is over: to wake at it is to wake at once.
    ///   - canGoOn: whether there is no need to wait any more.
    func awaitHome(_ wait: inout WaitSet, since last: MonotonicTime, canGoOn: () -> Bool) {
        // Made before it can be rung.
        let home = bell.descriptor()
        // A hand-back that came in between has been seen by then, or is seen here.
        if starve() || canGoOn() {
            wait.wake(at: last)
        } else if let home {
            wait.add(home)
        } else {
            wait.wake(at: last + .milliseconds(20))
        }
    }

    /// Asks to be woken by the next hand-back; answers whether one has come already.
    private func starve() -> Bool {
        isStarving.store(true, ordering: .sequentiallyConsistent)
        return home.load(ordering: .sequentiallyConsistent) != 0
    }

    /// Ends what ``awaitHome(_:since:canGoOn:)`` began. *Runs on:* the device's thread.
    func feed() {
        isStarving.store(false, ordering: .sequentiallyConsistent)
        bell.silence()
    }
}

/// The eventfd that wakes a starving driver; made at the first need, one for each driver.
final class HomeBell: Sendable {
    private let event = Mutex<Descriptor?>(nil)

    /// The descriptor to wait on; nil when the process is out of them.
    func descriptor() -> Int32? {
        event.withLock { event in
            if let number = event?.number { return number }
            let answer = clinux_eventfd()
            guard answer >= 0 else { return nil }
            event = Descriptor(owning: answer)
            return answer
        }
    }

    func ring() {
        event.withLock { event in
            if let number = event?.number { clinux_eventfd_add(number) }
        }
    }

    func silence() {
        event.withLock { event in
            if let number = event?.number { clinux_eventfd_clear(number) }
        }
    }
}
