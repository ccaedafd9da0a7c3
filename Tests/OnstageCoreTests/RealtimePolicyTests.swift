import OnstageCore
import Testing

@Suite("Tables: who goes before ordinary programs")
struct RealtimePolicyTests {
    @Test(
        arguments: [
            // policy, RLIMIT_RTPRIO, root, priority
            (.auto, 0, false, nil), (.auto, 1, false, 1), (.auto, 10, false, 10), (.auto, 20, false, 10),
            (.auto, .max, false, 10), (.auto, 0, true, nil), (.auto, 99, true, nil),
            // The kernel decides where there is no limit: CAP_SYS_NICE.
            (.always, 0, false, 10), (.always, 5, false, 5), (.always, 0, true, 10), (.always, 5, true, 10),
            (.never, 20, false, nil), (.never, 20, true, nil),
        ] as [(RealtimePolicy, UInt64, Bool, Int32?)])
    func priority(policy: RealtimePolicy, limit: UInt64, isRoot: Bool, wanted: Int32?) {
        #expect(policy.priority(limit: limit, isRoot: isRoot) == wanted)
    }
}
