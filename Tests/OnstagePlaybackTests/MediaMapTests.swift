import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstagePlayback

/// A plain WAV goes from its file's pages into the device, and only the kernel reads them there.
@Suite("Scripts: a file's own pages") struct MediaMapTests {
    private static let rate: Int64 = 48_000

    /// A player on a card in memory, of a file in which every frame tells its own number.
    private struct Rig {
        let clock = StillClock()
        let room = FakeOutput.Room()
        let reports = Reports()
        let folder: Scratch
        let path: String
        let feed: MediaFeed
        let driver: PlaybackDriver
        var run: DriverRun
        let frames: Int64

        init(
            _ make: FakeOutput.Make = FakeOutput.Make(), seconds: Int64, configuration: PlaybackConfiguration = .init()
        ) throws {
            folder = Scratch(name: "onstage-map")
            path = folder("ramp.wav")
            frames = seconds * MediaMapTests.rate
            try Self.ramp(path, frames)
            feed = try MediaFeed(try #require(try PlainWAV(path: path)), ahead: .seconds(1))
            #expect(feed.isMapped)
            driver = PlaybackDriver(
                configuration: configuration, media: feed, clock: clock,
                backend: FakeOutput.backend(make, clock, room), report: reports.add)
            run = DriverRun(driver, still: clock)
        }

        static func ramp(_ path: String, _ frames: Int64, from first: Int32 = 1) throws {
            let format = WAVMaker.format(channels: 1, rate: Int(MediaMapTests.rate), bits: 32)
            let size = 4 * Int(frames)
            let head = WAVMaker.riff(
                [WAVMaker.chunk("fmt ", format), WAVMaker.chunk("data", [], length: size)], size: 36 + size)
            let file = try #require(fopen(path, "w"))
            #expect(fwrite(head, 1, head.count, file) == head.count)
            let samples = (0..<Int32(frames)).map { ($0 + first).littleEndian }
            #expect(fwrite(samples, 4, samples.count, file) == samples.count)
            fclose(file)
        }

        /// Until the reader can do no more.
        func settle() {
            let end = MonotonicTime.now + .seconds(20)
            while MonotonicTime.now < end, !feed.reader.state.withLock(\.isReaderAsleep) { sched_yield() }
        }

        /// Has the kernel let go of the file's pages that nobody has mapped; false where it keeps those of the last second too.
        func evict() -> Bool {
            let file = open(path, O_RDONLY)
            defer { close(file) }
            #expect(fsync(file) == 0)
            #expect(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0)
            return !isPresent(frames - MediaMapTests.rate..<frames)
        }

        /// What is to be played next and stands ready, in source frames.
        var ready: Range<Int64> { feed.reader.state.withLock { $0.ring.place..<$0.ring.end } }

        /// Whether the kernel holds these source frames.
        func isPresent(_ frames: Range<Int64>) -> Bool {
            guard let map = feed.reader.map else { return false }
            let page = UInt(clinux_page_size())
            let first = UInt(bitPattern: map.address(frames.lowerBound)) / page * page
            let length = Int(UInt(bitPattern: map.address(frames.upperBound)) - first)
            return clinux_is_present(UnsafeMutableRawPointer(bitPattern: first), length, Int(page))
        }

        /// Plays on; the reader keeps up, as a real one does that has much more time.
        mutating func play(for time: Duration, toItsEnd: Bool = false) throws {
            let end = clock.now + time
            while clock.now < end, !(toItsEnd && reports.ended > 0) {
                settle()
                try run.play(for: min(.milliseconds(20), end - clock.now))
            }
        }
    }

    static let cards = [
        FakeOutput.Make(), FakeOutput.Make(period: 480, buffer: 1920), FakeOutput.Make(period: 6000, buffer: 24_000),
        FakeOutput.Make(isPlain: false, period: 480, buffer: 5760),
    ]

    @Test("every frame once and in order, over pauses at random moments", arguments: 0..<4)
    func pauses(card: Int) throws {
        var rig = try Rig(Self.cards[card], seconds: 60)
        var chance = SplitMix64(seed: 31 + UInt64(card))
        for _ in 0..<40 {
            try rig.run.acquire()
            try rig.play(for: .microseconds(Int64.random(in: 1...1_200_000, using: &chance)))
            let detail = rig.run.release(hurried: Bool.random(using: &chance))
            #expect(detail.position == Int64(rig.room.heard.count))
            let fault = rig.room.firstFault()
            #expect(fault == nil)
            guard fault == nil else { return }
        }
        #expect(rig.feed.isMapped)
        #expect(rig.reports.recovered.isEmpty)
    }

    @Test("seconds of steady play are one piece: the feed is asked again when it is played") func steady() throws {
        var rig = try Rig(seconds: 40)
        try rig.run.acquire()
        try rig.play(for: .seconds(5))
        #expect(rig.driver.steady.frames + rig.driver.steady.taken > 3 * Int(Self.rate))
        try rig.play(for: .seconds(40))
        #expect(rig.reports.ended == 1)
        #expect(Int64(rig.room.heard.count) == rig.frames)
        #expect(rig.room.firstFault() == nil)
    }

    @Test("before the sound has begun no more is read than it takes to begin; then seconds") func beginning() throws {
        var rig = try Rig(seconds: 60)
        try rig.feed.prefetch(at: 0)
        rig.settle()
        let ahead = rig.feed.reader.state.withLock { $0.ring.available(looped: false) }
        #expect(ahead >= Self.rate / 2 && ahead < 2 * Self.rate)
        try rig.run.acquire()
        let end = MonotonicTime.now + .seconds(20)
        while MonotonicTime.now < end, rig.feed.ready(Int(8 * Self.rate)) < 8 * Self.rate { sched_yield() }
        #expect(rig.feed.ready(Int(8 * Self.rate)) == 8 * Self.rate)
        _ = rig.run.release()
    }

    @Test("pieces follow one another: steady play is left by nothing but the end", arguments: 0..<3)
    func renewed(card: Int) throws {
        var rig = try Rig(Self.cards[card], seconds: 90)
        try rig.run.acquire()
        try rig.play(for: .seconds(1))
        let before = rig.run.services
        try rig.play(for: .seconds(80))
        #expect(rig.run.services == before)
        #expect(rig.run.release().position == Int64(rig.room.heard.count))
        #expect(rig.room.firstFault() == nil)
    }

    @Test(
        "what stands ready stays in memory when the kernel is told that nobody needs the file",
        .enabled(if: evicts, keeps))
    func held() throws {
        var rig = try Rig(seconds: 60)
        try rig.run.acquire()
        try rig.play(for: .seconds(1))
        rig.settle()
        let ready = rig.ready
        #expect(ready.count > 4 * Self.rate)
        #expect(rig.evict())
        #expect(rig.isPresent(ready))
        _ = rig.run.release()
    }

    @Test(
        "what the kernel has let go of meanwhile is there again before it is played", .enabled(if: evicts, keeps),
        arguments: [0, 2])
    func evicted(card: Int) throws {
        // Longer than what is played and stands ready: its last second is never asked for.
        var rig = try Rig(Self.cards[card], seconds: 90)
        try rig.run.acquire()
        try rig.play(for: .seconds(1))
        var (looks, absent): (Int, [Range<Int64>]) = (0, [])
        for _ in 0..<6 {
            rig.settle()
            var before = rig.ready.upperBound
            #expect(rig.evict())
            for _ in 0..<10 {
                try rig.play(for: .milliseconds(500))
                rig.settle()
                let ready = rig.ready
                #expect(ready.count > Self.rate / 2)
                // What has become ready since the last look; its first page was there before, in part.
                let first = max(before, ready.lowerBound) + Int64(clinux_page_size()) / 4
                guard ready.upperBound > first else { continue }
                looks += 1
                if !rig.isPresent(first..<ready.upperBound) { absent.append(first..<ready.upperBound) }
                before = ready.upperBound
            }
        }
        // About 10 s are made ready at a time.
        #expect(looks >= 3 && absent.isEmpty, "\(looks) looks; not there: \(absent)")
        #expect(rig.run.release().position == Int64(rig.room.heard.count))
        #expect(rig.room.firstFault() == nil)
        #expect(rig.feed.isMapped)
    }

    private static let keeps: Comment = "the file system keeps all of its pages in memory"

    /// Whether the kernel lets go of a file's pages here when it is told that nobody needs them (not on tmpfs).
    private static let evicts = {
        guard let rig = try? Rig(seconds: 2) else { return true }
        return rig.evict()
    }()

    @Test("a loop goes over the end of the file without a seam") func loop() throws {
        var configuration = PlaybackConfiguration()
        configuration.isLooped = true
        var rig = try Rig(seconds: 3, configuration: configuration)
        try rig.run.acquire()
        try rig.play(for: .seconds(10))
        let detail = rig.run.release()
        let heard = rig.room.heard
        #expect(heard.count > 9 * Int(Self.rate))
        #expect(heard.indices.first { heard[$0] != Int32(Int64($0) % rig.frames) + 1 } == nil)
        #expect(detail.position == Int64(heard.count) % rig.frames)
    }

    @Test("a seek in steady play goes on at its frame, and back") func seek() throws {
        var rig = try Rig(seconds: 40)
        try rig.run.acquire()
        for target in [30, 5, 5, 38, 0] as [Int64] {
            try rig.play(for: .milliseconds(700))
            rig.room.heard.removeAll()
            rig.driver.controls.seek(to: target * Self.rate)
            try rig.play(for: .milliseconds(300))
            let heard = rig.room.heard
            let first = try #require(heard.firstIndex(of: Int32(target * Self.rate) + 1))
            #expect(heard.count - first > 8_000)
            #expect(heard[first...].enumerated().allSatisfy { $1 == Int32(target * Self.rate) + 1 + Int32($0) })
        }
        _ = rig.run.release()
    }

    @Test("what is to be heard otherwise than it lies there is copied by the kernel", arguments: [0, 3])
    func volume(card: Int) throws {
        var rig = try Rig(Self.cards[card], seconds: 20)
        try rig.run.acquire()
        try rig.play(for: .seconds(1))
        rig.driver.controls.volume = 0.5
        try rig.play(for: .seconds(1))
        let heard = rig.room.heard
        let last = try #require(heard.last)
        #expect(abs(Int(last) - heard.count / 2) <= 1)
        rig.driver.controls.volume = 1
        try rig.play(for: .seconds(1))
        #expect(rig.room.heard.last == Int32(rig.room.heard.count))
        #expect(rig.run.release().position == Int64(rig.room.heard.count))
        #expect(rig.feed.isMapped)
    }

    @Test("a file that is cut short in steady play is no signal: it ends, and says where", arguments: 0..<4)
    func cut(card: Int) throws {
        var rig = try Rig(Self.cards[card], seconds: 40)
        try rig.run.acquire()
        try rig.play(for: .seconds(2))
        let left: Int64 = 4 * Self.rate + 333
        #expect(truncate(rig.path, off_t(44 + 4 * left)) == 0)
        try rig.play(for: .seconds(10), toItsEnd: true)
        #expect(rig.reports.ended == 1)
        #expect(!rig.feed.isMapped || card == 3)
        // What a page holds behind the new end is silence; nothing else is heard, and nothing is left out.
        #expect(Int64(rig.room.heard.count) == left)
        #expect(rig.room.firstFault() == nil)
        let notes = rig.reports.all.compactMap { if case .note(let text) = $0 { text } else { nil } }
        #expect(notes.contains { $0.contains("ends at frame") && $0.contains("not at \(rig.frames)") })
        #expect(rig.driver.controls.position == 0)
        #expect(rig.run.release().position == 0)
    }

    @Test("a file that is cut short while it is paused, likewise") func cutInAPause() throws {
        var rig = try Rig(seconds: 40)
        try rig.run.acquire()
        try rig.play(for: .seconds(2))
        #expect(rig.run.release().position == Int64(rig.room.heard.count))
        #expect(truncate(rig.path, 44 + 4 * 1000) == 0)
        try rig.run.acquire()
        try rig.play(for: .seconds(5), toItsEnd: true)
        #expect(rig.reports.ended == 1)
        #expect(rig.room.firstFault() == nil)
        _ = rig.run.release()
    }

    @Test("another file under its name is not heard") func renamed() throws {
        var rig = try Rig(seconds: 10)
        try rig.run.acquire()
        try rig.play(for: .seconds(1))
        let other = rig.folder("other.wav")
        try Rig.ramp(other, rig.frames, from: 1_000_000)
        #expect(rename(other, rig.path) == 0)
        try rig.play(for: .seconds(12), toItsEnd: true)
        #expect(Int64(rig.room.heard.count) == rig.frames)
        #expect(rig.room.firstFault() == nil)
        _ = rig.run.release()
    }
}
