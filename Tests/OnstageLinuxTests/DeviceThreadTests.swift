import CLinux
import OnstageCore
import Synchronization
import Testing

@testable import OnstageLinux

@Suite("A device's thread")
struct DeviceThreadTests {
    /// A device whose wait is the same each time: it takes what comes on a descriptor, until a deadline.
    private final class SteadyDriver: DeviceDriver {
        let input: Mailbox<Int>
        let life: Duration
        var deadline = MonotonicTime(nanoseconds: 0)
        let report: @Sendable (String) -> Void

        init(_ input: Mailbox<Int>, life: Duration, report: @escaping @Sendable (String) -> Void) {
            self.input = input
            self.life = life
            self.report = report
        }

        func resolve() throws(DeviceError) -> ResolvedDevice { ResolvedDevice(key: nil, identity: "it", node: "") }
        func acquire(_ device: ResolvedDevice, _ cancellation: any CancellationSource) throws(DeviceError) -> Acquired {
            Acquired(format: [])
        }
        func prepare(_ wait: inout WaitSet) {
            deadline = .now + life
            wait.add(input.descriptor)
            wait.wake(at: deadline)
            report("named")
        }
        var keepsWait: Bool { true }
        func service(_ wait: borrowing WaitSet, now: MonotonicTime) throws(DeviceError) {
            for number in input.take() { report("\(number)") }
            if now >= deadline { report("due") }
        }
        func release(_ request: ReleaseRequest, now: MonotonicTime) -> ReleaseStep {
            report("released")
            return .released(ReleaseDetail(released: now))
        }
        func settle() { report("settled") }
        var counts: DriverCounts { DriverCounts() }
        func force() {}
    }

    /// Waits for the next line of what happens.
    private static func next(_ told: Mailbox<String>, _ pending: inout [String]) -> String {
        while pending.isEmpty {
            awaitReadable(told.descriptor)
            pending = told.take()
        }
        return pending.isEmpty ? "" : pending.removeFirst()
    }

    @Test("a wait that is kept is named once, takes what comes, ends at its deadline, and by a mail")
    func kept() throws {
        let (input, told) = (try Mailbox<Int>(), try Mailbox<String>())
        var pending: [String] = []
        let thread = try DeviceThread(
            name: "steady", clock: SystemClock(),
            makeDriver: { _ in SteadyDriver(input, life: .seconds(1)) { told.send($0) } },
            answer: { answer in
                switch answer {
                case .resolved: told.send("resolved")
                case .opened: told.send("opened")
                case .released: told.send("answered")
                case .ended: told.send("ended")
                default: break
                }
            })
        thread.send(.acquire(Generation(1)))
        #expect(Self.next(told, &pending) == "resolved")
        thread.send(.proceed(Generation(1)))
        #expect(Self.next(told, &pending) == "opened")
        #expect(Self.next(told, &pending) == "named")
        for number in 1...5 {
            input.send(number)
            #expect(Self.next(told, &pending) == "\(number)")
        }
        // Nothing was named anew for any of them; the deadline is.
        #expect(Self.next(told, &pending) == "due")
        #expect(Self.next(told, &pending) == "named")
        input.send(6)
        #expect(Self.next(told, &pending) == "6")
        thread.send(.perform { _ in })
        #expect(Self.next(told, &pending) == "named")
        thread.send(.release(Generation(1), ReleaseRequest(asked: .now, hurried: false)))
        #expect(Self.next(told, &pending) == "released")
        // What nobody waits for comes behind the answer.
        #expect(Self.next(told, &pending) == "answered")
        #expect(Self.next(told, &pending) == "settled")
        thread.send(.end)
        #expect(Self.next(told, &pending) == "ended")
    }
}
