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
    ///
    /// - Parameter edges: all but the first are waited for to become ready, not as long as they are: the kernel looks at each
    ///   of them once a turn, not twice. What is ready now is answered all the same.
    /// *C: `epoll_ctl`.*
    func tell(_ set: borrowing WaitSet, edges: Bool = false) -> Bool {
        isDue = false
        if !isTold(set) { forget() }
        for (number, entry) in set.entries.enumerated() {
            let events = UInt32(UInt16(bitPattern: entry.events)) | (edges && number > 0 ? CLINUX_EPOLL_EDGE : 0)
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
        while true {
            if let deadline = set.deadline?.nanoseconds, armed.map({ $0 > deadline }) ?? true {
                guard clinux_timer_set(timer.number, deadline) == 0 else { return nil }
                armed = deadline
            }
            let count = clinux_epoll_wait(epoll.number, answers)
            let (found, hasFired) = take(count, &set)
            guard hasFired else { return count < 0 ? nil : found }
            // Set anew it is no longer readable.
            armed = nil
            isDue = set.deadline.map { MonotonicTime.now >= $0 } ?? false
            if found > 0 || isDue { return found }
            // The timer alone, and set for an earlier deadline: on.
            if set.deadline == nil { clinux_timer_clear(timer.number) }
        }
    }

    /// Hands over what came; how many descriptors have something, and whether the timer has.
    @inline(__always)
    private func take(_ count: Int32, _ set: inout WaitSet) -> (Int, Bool) {
        set.entries.withUnsafeMutableBufferPointer { entries in
            for index in entries.indices { entries[index].answers = 0 }
            var found = 0
            var hasFired = false
            var index: Int32 = 0
            while index < count {
                let number = clinux_epoll_number(answers, index)
                if number == Self.timerNumber {
                    hasFired = true
                } else if number < UInt64(entries.count) {
                    entries[Int(number)].answers = Int16(truncatingIfNeeded: clinux_epoll_events(answers, index))
                    found += 1
                }
                index += 1
            }
            return (found, hasFired)
        }
    }

    /// The wait that is kept may last until `deadline` now. The timer is set anew when it is nearer than half of that: not at
    /// each turn, and before it wakes anybody.
    func putOff(_ set: inout WaitSet, to deadline: MonotonicTime, _ now: MonotonicTime) {
        set.putOff(to: deadline)
        guard let armed, armed < deadline.nanoseconds,
            armed - now.nanoseconds < (deadline.nanoseconds - now.nanoseconds) / 2,
            clinux_timer_set(timer.number, deadline.nanoseconds) == 0
        else { return }
        self.armed = deadline.nanoseconds
    }

    /// Waits for nothing any more, so that nothing of a driver is held on to.
    func forget() {
        for entry in told { _ = clinux_epoll_remove(epoll.number, entry.descriptor) }
        told.removeAll(keepingCapacity: true)
    }
}
