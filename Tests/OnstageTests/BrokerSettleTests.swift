import Onstage
import OnstageCore
import OnstageTestKit
import Testing

/// What a driver does behind its answer to a release.
@Suite("script: what a driver settles", .timeLimit(.minutes(1))) struct BrokerSettleTests {
    /// Its device is free at once; what it settles stands at a gate, and ends with a note.
    private final class SettlingDriver: DeviceDriver {
        let gate: FakeDevice.Gate
        let report: DriverReporter

        init(_ gate: FakeDevice.Gate, _ report: @escaping DriverReporter) {
            self.gate = gate
            self.report = report
        }

        func resolve() throws(DeviceError) -> ResolvedDevice {
            ResolvedDevice(key: nil, identity: "settling", node: "settling", isSynthetic: true)
        }
        func acquire(
            _ device: ResolvedDevice, _ cancellation: any CancellationSource
        ) throws(DeviceError) -> Acquired { Acquired(format: []) }
        func prepare(_ wait: inout WaitSet) {}
        func service(_ wait: borrowing WaitSet, now: MonotonicTime) throws(DeviceError) {}
        func release(_ request: ReleaseRequest, now: MonotonicTime) -> ReleaseStep {
            .released(ReleaseDetail(released: now))
        }
        func settle() {
            gate.pass()
            report(.note("not put back"))
            report(.first(MonotonicTime(nanoseconds: 1)))
        }
        var counts: DriverCounts { DriverCounts() }
        func force() {}
    }

    private final class Settling: Resource {
        let handle: ResourceHandle
        init(_ gate: FakeDevice.Gate) {
            handle = ResourceHandle(name: "sound", kind: .audio) { report in SettlingDriver(gate, report) }
        }
    }

    /// It is wanted again before that is through: what there is to note is told all the same, and nothing else of it.
    @Test func aNoteBehindAReleaseIsTold() async throws {
        var configuration = Broker.Configuration()
        configuration.clock = StillClock()
        let broker = try Broker(configuration)
        let recorder = EventRecorder(broker)
        let scene = broker.scene("main")
        let gate = FakeDevice.Gate()
        try scene.bind(Settling(gate))
        scene.resume()
        await recorder.wait("sound", .open)
        scene.pause()
        #expect(await scene.released.count == 1)
        scene.resume()
        await broker.decided()
        gate.open()
        await recorder.wait("sound", .open, count: 2)
        await broker.decided()
        let notes = recorder.events.filter { if case .note(_, "not put back", _) = $0 { true } else { false } }
        let firsts = recorder.events.filter { if case .first = $0 { true } else { false } }
        #expect(notes.count == 1 && firsts.isEmpty)
        await broker.close()
    }
}
