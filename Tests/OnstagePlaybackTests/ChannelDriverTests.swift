import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstagePlayback

@Suite("Scripts: a card in memory that takes another number of channels")
struct ChannelDriverTests {
    static let makes = [
        FakeOutput.Make(channels: 2), FakeOutput.Make(channels: 6), FakeOutput.Make(channels: 2, grain: 192),
        FakeOutput.Make(isPlain: false, channels: 2, period: 480, buffer: 5760),
        FakeOutput.Make(isPlain: false, channels: 6, period: 1024, buffer: 8192, mixer: 0),
    ]

    @Test(
        "A-16: mono on it, paused at random: every frame once, the same on both sides; positions are the source's",
        arguments: 0..<5, [false, true])
    func mono(card: Int, hasFade: Bool) throws {
        var rig = PlayerRig(Self.makes[card]) { if hasFade { $0.fade = .milliseconds(5) } }
        var chance = SplitMix64(seed: 16)
        for _ in 0..<40 {
            let acquired = try rig.run.acquire()
            #expect(acquired.format.contains { $0.name == "mediaChannels" && $0.value == .integer(1) })
            #expect(acquired.notes.contains { $0.contains("the sound's channels are MONO, fake has FL FR") })
            try rig.run.play(for: .microseconds(Int64.random(in: 1...200_000, using: &chance)))
            let detail = rig.run.release()
            #expect(detail.off == 0 && detail.bound == 0)
            #expect(detail.position == Int64(rig.driver.counts.delivered))
            // Frames of a fade are heard at other levels: their number counts.
            if !hasFade { #expect(rig.room.firstFault() == nil && detail.position == Int64(rig.room.heard.count)) }
        }
        #expect(rig.room.astray == 0 && rig.room.heard.count > 48_000)
    }

    /// What only the kernel may read is copied before it is mixed.
    @Test("A-16: a file that is mapped is mixed as well")
    func mapped() throws {
        let folder = Scratch(name: "onstage-channels")
        let path = folder("ramp.wav")
        let samples = (0..<48_000).flatMap { WAVMaker.word(($0 + 1) << 8, 4) }
        Fixture.write(
            WAVMaker.riff([
                WAVMaker.chunk("fmt ", WAVMaker.format(channels: 1, bits: 32)), WAVMaker.chunk("data", samples),
            ]), to: path)
        let feed = try MediaFeed(try SoundFile.open(path), ahead: .seconds(1))
        #expect(feed.isMapped)
        let (clock, room, reports) = (StillClock(), FakeOutput.Room(), Reports())
        let driver = PlaybackDriver(
            configuration: PlaybackConfiguration(), media: feed, clock: clock,
            backend: FakeOutput.backend(FakeOutput.Make(channels: 2), clock, room), report: reports.add)
        var run = DriverRun(driver, still: clock)
        try run.acquire()
        while reports.ended == 0, clock.now < MonotonicTime(nanoseconds: 10_000_000_000) {
            // The reader keeps up, as a real one does that has much more time.
            let end = MonotonicTime.now + .seconds(20)
            while MonotonicTime.now < end, !feed.reader.state.withLock(\.isReaderAsleep) { sched_yield() }
            try run.play(for: .milliseconds(20))
        }
        _ = run.release()
        #expect(feed.isMapped && room.heard.elementsEqual((1...48_000).map { Int32($0 << 8) }))
        #expect(room.astray == 0)
    }

    @Test("A-16: steady play hands samples on as they lie only where no channel is mixed")
    func steady() throws {
        for channels in [nil, 2] {
            var rig = PlayerRig(FakeOutput.Make(channels: channels))
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(500))
            #expect((rig.driver.steady.frames > 0) == (channels == nil))
            _ = rig.run.release()
        }
    }
}
