import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite("Real C: PCMs without a card, which nothing paces", .serialized)
struct UnpacedTests {
    /// A player on `null`, and what there is to look at.
    private func run(_ media: RampSource = RampSource(frames: 1 << 40), _ pcm: String = "null") -> (DriverRun, Reports)
    {
        let reports = Reports()
        let driver = PlaybackDriver(
            configuration: PlaybackConfiguration(output: .pcm(pcm)), media: media, report: reports.add)
        return (DriverRun(driver), reports)
    }

    @Test("A-03: paused before anything was heard, twice, and sought while paused: no state is a wrong one")
    func wrongStates() throws {
        var (run, reports) = run()
        try run.acquire()
        let first = run.release()
        #expect(first.released != nil && first.off == 0)
        // Once more: nothing is open.
        let again = run.release()
        #expect(again.released != nil && again.position == first.position)
        for frame: Int64 in [12_345, 0, 1 << 39] {
            run.driver.controls.seek(to: frame)
            #expect(run.driver.controls.position == frame)
            try run.acquire()
            try run.play(for: .milliseconds(20))
            let detail = run.release()
            #expect((detail.position ?? -1) >= frame)
            _ = run.release()
            #expect(run.driver.controls.position == detail.position)
        }
        #expect(reports.recovered.isEmpty)
    }

    @Test("A-19: what a device would buffer by itself does not count", arguments: ["null", "plug:null"])
    func buffer(pcm: String) throws {
        var (run, _) = run(RampSource(frames: 1 << 40), pcm)
        let acquired = try run.acquire()
        guard case .integer(let frames)? = acquired.format.first(where: { $0.name == "bufferFrames" })?.value else {
            Issue.record("\(acquired.format)")
            return
        }
        #expect(frames <= 24_000, "half a second at most")
        #expect(run.release().released != nil)
    }
}
