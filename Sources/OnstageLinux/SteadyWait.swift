internal import CLinux
internal import OnstageCore

/// Waits for the same descriptors again and again, for less: they are told to the kernel once, and so is the deadline.
///
/// `poll` is told them all, and a timeout, each time; for a camera at rest that is a fifth of what a frame costs. Only while
/// the driver says that its wait is kept (``DeviceDriver/keepsWait``); any other is waited for in `poll`.
final class SteadyWait {
    private let epoll: Descriptor
    private let timer: Descriptor
    // Of one thread, and touched at each wait: checks for exclusive access would cost a part of what is saved here.
    /// What the kernel was told.
    @exclusivity(unchecked) private var told: [WaitSet.Entry] = []
    /// When the timer fires; nil when it does not. Earlier than the deadline is fine: it is set anew then.
    @exclusivity(unchecked) private var armed: Int64?
    /// The last wait came to its deadline.
    @exclusivity(unchecked) private(set) var isDue = false
    private let answers: UnsafeMutablePointer<clinux_epoll_answers>

    private static let timerNumber = UInt64.max

    /// Nil when the process is out of descriptors: `poll` needs none.
    init?() {
        let made = clinux_epoll()
        guard made >= 0 else { return nil }
        let epoll = Descriptor(owning: made)
        let clock = clinux_timer()
        guard clock >= 0 else { return nil }
        let timer = Descriptor(owning: clock)
        guard clinux_epoll_add(made, clock, UInt32(WaitSet.readable), Self.timerNumber) == 0 else { return nil }
        self.epoll = epoll
        self.timer = timer
        answers = .allocate(capacity: 1)
        answers.initialize(to: clinux_epoll_answers())
    }

    deinit { answers.deallocate() }

    /// Tells the kernel what is waited for from now on. False where it cannot be waited for this way.
    /// *C: `epoll_ctl`.*
    func tell(_ set: borrowing WaitSet) -> Bool {
        isDue = false
        if !isTold(set) { forget() }
        for (number, entry) in set.entries.enumerated() {
            let events = UInt32(UInt16(bitPattern: entry.events))
            // A descriptor that was closed has been forgotten by the kernel itself; its number may be another file's now.
            var answer = -Errno.ENOENT
            if number < told.count {
                answer = clinux_epoll_modify(epoll.number, entry.descriptor, events, UInt64(number))
            }
            if answer == -Errno.ENOENT {
                answer = clinux_epoll_add(epoll.number, entry.descriptor, events, UInt64(number))
            }
            guard answer == 0 else {
                forget()
                return false
            }
            if number == told.count { told.append(entry) }
        }
        return true
    }

    private func isTold(_ set: borrowing WaitSet) -> Bool {
        guard told.count == set.entries.count else { return false }
        var index = 0
        while index < told.count {
            if told[index].descriptor != set.entries[index].descriptor { return false }
            if told[index].events != set.entries[index].events { return false }
            index += 1
        }
        return true
    }

    /// Waits for what was told, as ``WaitSet/waitForEvents(_:waking:)``; nil when the kernel refuses, and nothing was waited
    /// for. *C: `epoll_wait`.*
    func wait(_ set: inout WaitSet) -> Int? {
        var index = 0
        while index < set.entries.count {
            set.entries[index].answers = 0
            index += 1
        }
        while true {
            if let deadline = set.deadline?.nanoseconds, armed.map({ $0 > deadline }) ?? true {
                guard clinux_timer_set(timer.number, deadline) == 0 else { return nil }
                armed = deadline
            }
            let count = Int(clinux_epoll_wait(epoll.number, answers))
            guard count > 0 else { return count < 0 ? nil : 0 }
            var found = 0
            var hasFired = false
            var index = 0
            while index < count {
                let (number, events) = answer(index)
                index += 1
                if number == Self.timerNumber {
                    // Set anew it is no longer readable.
                    (armed, hasFired) = (nil, true)
                } else if number < UInt64(set.entries.count) {
                    set.entries[Int(number)].answers = Int16(truncatingIfNeeded: events)
                    found += 1
                }
            }
            guard hasFired else { return found }
            isDue = set.deadline.map { MonotonicTime.now >= $0 } ?? false
            if found > 0 || isDue { return found }
            // The timer alone, and set for an earlier deadline: on.
            if set.deadline == nil { clinux_timer_clear(timer.number) }
        }
    }

    private func answer(_ index: Int) -> (UInt64, UInt32) {
        (clinux_epoll_number(answers, Int32(index)), clinux_epoll_events(answers, Int32(index)))
    }

    /// Waits for nothing any more, so that nothing of a driver is held on to.
    func forget() {
        for entry in told { _ = clinux_epoll_remove(epoll.number, entry.descriptor) }
        told.removeAll(keepingCapacity: true)
    }
}
