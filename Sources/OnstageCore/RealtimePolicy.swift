/// Whether the thread that feeds a sound card goes before every ordinary program (SCHED_FIFO), so that a busy machine does not
/// make the sound late.
///
/// The thread works for some hundred microseconds each period and waits. Should it ever run away (sound of an app's own that is
/// made ``SinkPlace/inline`` and does not return), the kernel leaves the others 5 % of the time (`sched_rt_runtime_us`), and where
/// RLIMIT_RTTIME is set it ends the process with SIGXCPU when that much time was used up without a wait.
@nonexhaustive
public enum RealtimePolicy: String, Hashable, Sendable, CaseIterable {
    /// Where RLIMIT_RTPRIO allows it, and never as root.
    case auto
    /// Wherever the kernel allows it, as root too.
    case always
    case never

    /// The priority that is asked for; 1 is the lowest, and that of the kernel's own interrupt threads is 50.
    private static var priority: UInt64 { 10 }

    /// The priority to ask for; nil for not at all.
    ///
    /// - Parameter limit: RLIMIT_RTPRIO.
    package func priority(limit: UInt64, isRoot: Bool) -> Int32? {
        let isAllowed =
            switch self {
            case .auto: limit > 0 && !isRoot
            case .always: true
            case .never: false
            }
        guard isAllowed else { return nil }
        // Without a limit of its own (root, CAP_SYS_NICE) the kernel decides.
        return Int32(limit > 0 && !isRoot ? min(limit, Self.priority) : Self.priority)
    }
}
