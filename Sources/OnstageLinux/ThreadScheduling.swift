internal import CLinux
internal import Glibc
package import OnstageCore

/// How the kernel schedules a thread, and what it said when it was asked for better.
package struct ThreadScheduling: Hashable, Sendable {
    /// "fifo 10" or "other".
    package var text = "other"
    /// Why it is not what was wished.
    package var note: String?

    package init() {}

    /// Asks for the calling thread, as a policy has it. Threads and processes that it makes later are as ordinary as before.
    ///
    /// *C: `sched_setscheduler` with SCHED_RESET_ON_FORK.*
    package static func ask(_ policy: RealtimePolicy) -> ThreadScheduling {
        var scheduling = ThreadScheduling()
        let limit = clinux_realtime_limit()
        guard let priority = policy.priority(limit: limit, isRoot: geteuid() == 0) else { return scheduling }
        let answer = clinux_schedule_fifo(priority)
        if answer == 0 {
            scheduling.text = "fifo \(priority)"
        } else {
            let error = DeviceError(errno: -answer, operation: "sched_setscheduler", device: "the sound's thread")
            scheduling.note = "SCHED_FIFO is not had, and played without: \(error); RLIMIT_RTPRIO is \(limit)"
        }
        return scheduling
    }
}
