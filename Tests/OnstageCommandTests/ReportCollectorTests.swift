import Onstage
import OnstageCore
import Testing

@testable import OnstageCommand

/// What a broker's events become in a report.
@Suite struct ReportCollectorTests {
    private let name = ResourceName(resource: "camera", scene: "main")
    private let device = ResolvedDevice(key: "k", identity: "cam", node: "/dev/video0")
    private let busy = DeviceError(.inUse, operation: "open", device: "/dev/video0", errno: 16)
    private let forbidden = DeviceError(.permission, operation: "open", device: "/dev/video0", errno: 13)

    private func at(_ time: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: time) }

    private func collected(_ events: [BrokerEvent]) -> ReportCollector {
        var collector = ReportCollector()
        collector.add(name, .camera, isSynthetic: false)
        for event in events { collector.take(event) }
        return collector
    }

    private func state(_ state: ResourceState, _ time: Int64, _ error: DeviceError? = nil) -> BrokerEvent {
        .resourceChanged(name, state, error, at: at(time))
    }

    private func acquired(_ asked: Int64, _ time: Int64) -> BrokerEvent {
        .acquired(name, device: device, format: ReportedFormat([]), asked: at(asked), at: at(time))
    }

    @Test func aRetriedAcquireIsOneAndItsErrorIsToldOnce() throws {
        let collector = collected([
            state(.opening, 1), state(.pendingOpen, 2, busy), state(.opening, 3, busy), state(.pendingOpen, 4, busy),
            state(.opening, 5, busy), state(.open, 6), acquired(5, 6), .first(name, at: at(7)),
        ])
        let entry = collector.resources[0]
        #expect(entry.acquisitions == [Report.Acquisition(asked: at(1), open: at(6), first: at(7))])
        #expect(entry.errors == ["\(busy)"])
        #expect(collector.standing.isEmpty)
    }

    @Test func oneThatIsCalledOffStaysWithoutAnOpen() {
        let collector = collected([
            state(.opening, 1), state(.closing, 2), state(.closed, 3), state(.opening, 4), state(.open, 5),
            acquired(4, 5),
        ])
        #expect(
            collector.resources[0].acquisitions == [Report.Acquisition(asked: at(1)), .init(asked: at(4), open: at(5))])
    }

    @Test func aFirstSampleIsNotBeforeTheDeviceIsOpen() {
        for events in [[.first(name, at: at(3)), acquired(1, 5)], [acquired(1, 5), .first(name, at: at(3))]]
            as [[BrokerEvent]]
        {
            let collector = collected([state(.opening, 1)] + events)
            #expect(
                collector.resources[0].acquisitions == [Report.Acquisition(asked: at(1), open: at(5), first: at(5))])
        }
    }

    @Test func aCriticalErrorStandsUntilItOpens() {
        let refused: [BrokerEvent] = [state(.opening, 1), state(.closed, 2, forbidden)]
        #expect(collected(refused).standing.map(\.error) == [forbidden])
        #expect(collected(refused + [state(.opening, 3), state(.open, 4), acquired(3, 4)]).standing.isEmpty)
        #expect(collected([state(.opening, 1), state(.pendingOpen, 2, busy)]).standing.isEmpty)
    }

    @Test func storedGoesToItsReceipt() throws {
        func released(_ asked: Int64) -> BrokerEvent {
            .released(
                ReleaseReceipt(
                    resource: "camera", scene: "main", device: "cam", asked: at(asked), released: at(asked + 1),
                    forced: false, stuck: false, detail: ReleaseDetail(released: at(asked + 1), position: asked),
                    reasons: []))
        }
        var collector = collected([released(10), released(20), .stored(name, position: 10, asked: at(10), at: at(25))])
        #expect(collector.resources[0].receipts.map(\.stored) == [at(25), nil])
        #expect(!collector.isStored)
        collector.take(.stored(name, position: 20, asked: at(20), at: at(30)))
        #expect(collector.isStored)
    }

    /// Without a report a run of years holds no more than one of a minute, and its sums are the same.
    @Test func withoutAReportOnlySumsGrow() {
        var events: [BrokerEvent] = []
        for cycle in 0..<Int64(1_000) {
            let begin = cycle * 100
            events += [
                .sceneMoved(scene: "main", from: .inactive, to: .active, at: at(begin)), state(.opening, begin),
                state(.open, begin + 1), acquired(begin, begin + 1), .first(name, at: at(begin + 2)),
                .sceneMoved(scene: "main", from: .active, to: .inactive, at: at(begin + 10)),
                state(.closing, begin + 10), state(.closed, begin + 20),
                .released(
                    ReleaseReceipt(
                        resource: "camera", scene: "main", device: "cam", asked: at(begin + 10),
                        released: cycle % 100 == 7 ? nil : at(begin + 10 + cycle % 60), forced: cycle % 50 == 7,
                        stuck: cycle % 100 == 7, detail: ReleaseDetail(released: at(begin)), reasons: [])),
            ]
        }
        func summary(_ keeps: Int?) -> (String, ReportCollector) {
            var collector = ReportCollector(keeping: keeps)
            collector.add(name, .camera, isSynthetic: false)
            for event in events { collector.take(event) }
            var report = Report(start: at(0), profile: "p")
            report.transitions = collector.transitions
            report.earlierActivations = collector.earlierActivations
            report.resources = collector.resources
            return (RunSummary.text(report, ended: at(1)), collector)
        }
        let (whole, all) = summary(nil)
        let (brief, some) = summary(16)
        #expect(whole == brief)
        #expect(whole.contains("1000 activations"))
        #expect(whole.contains("1000 receipts, worst pause to released 0.0 ms, 20 forced, 10 stuck"), "\(whole)")
        #expect(all.transitions.count == 2_000 && all.resources[0].receipts.count == 1_000)
        #expect(some.transitions.count < 32)
        #expect(some.resources[0].receipts.count < 32)
        #expect(some.resources[0].acquisitions.count < 32)
        #expect(some.resources[0].receipts.last == all.resources[0].receipts.last)
    }

    @Test func aRecordingThatBreaksOffIsAFault() {
        let cut = DeviceError(errno: 28, operation: "write", device: "/state/bench.wav")
        let closed = DeviceError(errno: 13, operation: "open", device: "/state/bench.wav")
        var collector = ReportCollector()
        collector.recording = "/state/bench.wav"
        collector.take(.recovered(name, closed, at: at(1)))
        #expect(collector.recordingFault == nil)
        collector.take(.recovered(name, cut, at: at(2)))
        #expect(collector.recordingFault == cut)
    }
}
