import Glibc
import Onstage
import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstageCommand

@Suite("one bench: acquire, measure, release")
struct BenchSessionTests {
    @Test("what waits in a sink's queue at the release was not dropped from what was measured", arguments: [1, 4])
    func dropped(cycles: Int) throws {
        let mailbox = try Mailbox<BenchMessage>()
        let device = LeavingDevice(dropsWhileOpen: 2, leaves: 5)
        let session = try BenchSession(
            "camera", device, Meter(), cycles: cycles, mailbox, try SignalDescriptor([SIGWINCH]))
        device.onOpen { mailbox.send(.measured) }
        let outcome = try session.perform()
        #expect(session.status == 0 && outcome.cycles.count == cycles && outcome.measured.count == cycles)
        #expect(outcome.dropped == UInt64(2 * cycles))
        #expect(outcome.counts.dropped == UInt64(7 * cycles))
    }

    private final class Meter: BenchMeter {
        struct Measured: BenchMeasured { let first: MonotonicTime }
        func measured() -> Measured? { Measured(first: .now) }
    }

    /// It drops some while it is open, and lets go of more at its release.
    private final class LeavingDevice: Resource {
        let handle: ResourceHandle
        private let opened: Opened

        final class Opened: Sendable {
            let body = Mutex<@Sendable () -> Void>({})
        }

        init(dropsWhileOpen: UInt64, leaves: UInt64) {
            let opened = Opened()
            self.opened = opened
            handle = ResourceHandle(name: "leaving", kind: .camera) { _ in
                Driver(dropsWhileOpen, leaves) { opened.body.withLock { $0 }() }
            }
        }

        func onOpen(_ body: @escaping @Sendable () -> Void) { opened.body.withLock { $0 = body } }

        final class Driver: DeviceDriver {
            private let dropsWhileOpen: UInt64
            private let leaves: UInt64
            private let onOpen: @Sendable () -> Void
            private let dropped = Atomic<UInt64>(0)

            init(_ dropsWhileOpen: UInt64, _ leaves: UInt64, _ onOpen: @escaping @Sendable () -> Void) {
                (self.dropsWhileOpen, self.leaves, self.onOpen) = (dropsWhileOpen, leaves, onOpen)
            }

            func resolve() throws(DeviceError) -> ResolvedDevice {
                ResolvedDevice(key: nil, identity: "leaving", node: "leaving", isSynthetic: true)
            }

            func acquire(_: ResolvedDevice, _: any CancellationSource) throws(DeviceError) -> Acquired {
                dropped.wrappingAdd(dropsWhileOpen, ordering: .relaxed)
                onOpen()
                return Acquired(format: [])
            }

            func prepare(_: inout WaitSet) {}
            func service(_: borrowing WaitSet, now _: MonotonicTime) throws(DeviceError) {}

            func release(_: ReleaseRequest, now: MonotonicTime) -> ReleaseStep {
                dropped.wrappingAdd(leaves, ordering: .relaxed)
                return .released(ReleaseDetail(released: now))
            }

            var counts: DriverCounts {
                var counts = DriverCounts()
                counts.dropped = dropped.load(ordering: .relaxed)
                return counts
            }

            func force() {}
        }
    }
}
