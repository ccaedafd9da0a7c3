import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite("Scripts: the paced sink")
struct PacedTests {
    @Test("what was heard is in the WAV, once and in order, over random pauses", arguments: [1, 2] as [UInt64])
    func recording(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        let path = "/tmp/onstage-\(getpid())-paced-\(seed).wav"
        defer { unlink(path) }
        let clock = StillClock()
        let reports = Reports()
        let media = try MediaFile(path: Fixture.path("w80_position_ramp_8k_5s.wav"))
        let configuration = PlaybackConfiguration(output: .paced(recording: path))
        let driver = PlaybackDriver(configuration: configuration, media: media, clock: clock, report: reports.add)
        var run = DriverRun(driver, still: clock)
        while reports.ended == 0 {
            try run.acquire()
            try run.play(for: .milliseconds(Int64.random(in: 1...400, using: &chance)), stop: { reports.ended > 0 })
            let detail = run.release()
            #expect(detail.off == 0)
        }
        let recorded = try MediaFile(path: path)
        #expect(recorded.info.rate == 8000)
        #expect(recorded.info.oddities.isEmpty)
        let source = try #require(Fixture.bytes(Fixture.path("w80_position_ramp_8k_5s.wav")))
        let heard = try #require(Fixture.bytes(path))
        #expect(Self.sounding(heard[44...]) == Self.sounding(source[44...]))
    }

    /// The frames that are not silence (the ramp has none of its own but where a channel is zero).
    private static func sounding(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        var at = bytes.startIndex
        while at + 4 <= bytes.endIndex {
            if bytes[at..<(at + 4)] != [0, 0, 0, 0] { out += bytes[at..<(at + 4)] }
            at += 4
        }
        return out
    }

    @Test("a full disk ends the recording, is told once, and the sound goes on")
    func full() throws {
        let clock = StillClock()
        let reports = Reports()
        let driver = PlaybackDriver(
            configuration: PlaybackConfiguration(output: .paced(recording: "/dev/full")),
            media: RampSource(frames: 48_000), clock: clock, report: reports.add)
        var run = DriverRun(driver, still: clock)
        try run.acquire()
        try run.play(for: .seconds(3), stop: { reports.ended > 0 })
        _ = run.release()
        #expect(reports.ended == 1)
        #expect(reports.recovered.map(\.errno) == [Errno.ENOSPC])
        #expect(driver.counts.delivered == 48_000)
    }

    @Test("the built-in sound loops without a seam")
    func builtIn() throws {
        let clock = StillClock()
        let reports = Reports()
        var configuration = PlaybackConfiguration(output: .paced(recording: nil))
        configuration.isLooped = true
        let driver = PlaybackDriver(
            configuration: configuration, media: BuiltInSound(), clock: clock, report: reports.add)
        var run = DriverRun(driver, still: clock)
        driver.controls.seek(to: 59 * 48_000)
        try run.acquire()
        try run.play(for: .seconds(2))
        let detail = run.release()
        let position = try #require(detail.position)
        #expect((47_000...49_100).contains(position))
        #expect(reports.ended == 0)
        #expect(driver.counts.underruns == 0)
    }
}
