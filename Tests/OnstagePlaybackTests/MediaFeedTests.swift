import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstagePlayback

/// A source that gives its frames up to a gate, and hangs there as a disk does that does not answer.
final class GatedSource: MediaSource {
    let info: MediaInfo
    let format = SourceFormat.s32
    private let next = Atomic<Int64>(0)
    private let gate: Atomic<Int64>
    private let bell: Mailbox<Never>
    private let blocked = Atomic<Bool>(false)
    private let calls = Atomic<Int>(0)

    init(frames: Int64, gate: Int64) throws {
        info = MediaInfo(name: "gated", rate: 48_000, channels: 1, format: "S32_LE", frames: frames)
        self.gate = Atomic(gate)
        bell = try Mailbox()
    }

    /// Lets frames through up to `frame`.
    func open(to frame: Int64) {
        gate.store(frame, ordering: .sequentiallyConsistent)
        blocked.store(false, ordering: .sequentiallyConsistent)
        bell.wake()
    }

    /// Whether a read stands at the gate.
    var isBlocked: Bool { blocked.load(ordering: .sequentiallyConsistent) }
    var seeks: Int { calls.load(ordering: .relaxed) }

    func seek(to frame: Int64) throws(DeviceError) {
        calls.add(1, ordering: .relaxed)
        next.store(frame, ordering: .relaxed)
    }

    func read(into samples: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int {
        let first = next.load(ordering: .relaxed)
        guard first < info.frames else { return 0 }
        var wait = WaitSet()
        wait.add(bell.descriptor)
        while first >= gate.load(ordering: .sequentiallyConsistent) {
            blocked.store(true, ordering: .sequentiallyConsistent)
            guard first >= gate.load(ordering: .sequentiallyConsistent) else { break }
            _ = wait.waitForEvents(SystemClock(), waking: bell)
            _ = bell.take()
        }
        blocked.store(false, ordering: .sequentiallyConsistent)
        let most = min(info.frames, gate.load(ordering: .sequentiallyConsistent)) - first
        let count = Int(min(Int64(frames), most))
        let to = samples.assumingMemoryBound(to: Int32.self)
        for index in 0..<count { to[index] = Int32(truncatingIfNeeded: first + Int64(index) + 1) }
        next.store(first + Int64(count), ordering: .relaxed)
        return count
    }
}

@Suite("Scripts: read ahead, by a thread that may hang")
struct MediaFeedTests {
    /// A player on a card in memory, whose media is read by a thread of its own.
    private struct Rig {
        let clock = StillClock()
        let room = FakeOutput.Room()
        let reports = Reports()
        let source: GatedSource
        let feed: MediaFeed
        let driver: PlaybackDriver
        var run: DriverRun

        init(_ make: FakeOutput.Make = FakeOutput.Make(), frames: Int64 = 10_000_000, gate: Int64) throws {
            source = try GatedSource(frames: frames, gate: gate)
            feed = try MediaFeed(source, ahead: .seconds(1))
            driver = PlaybackDriver(
                configuration: PlaybackConfiguration(), media: feed, clock: clock,
                backend: FakeOutput.backend(make, clock, room), report: reports.add)
            run = DriverRun(driver, still: clock)
        }

        /// Until the reader can do no more: the ring is full, or its source hangs.
        func settle() {
            let end = MonotonicTime.now + .seconds(20)
            while MonotonicTime.now < end, !source.isBlocked, !feed.reader.state.withLock(\.isReaderAsleep) {
                sched_yield()
            }
        }

        /// Plays on; the reader keeps up after every turn, as a real one does that has much more time.
        mutating func play(for time: Duration) throws(DeviceError) {
            let end = clock.now + time
            while clock.now < end {
                settle()
                try run.play(for: min(.milliseconds(20), end - clock.now))
            }
        }
    }

    static let cards = [FakeOutput.Make(), FakeOutput.Make(isPlain: false, period: 480, buffer: 5760)]

    @Test("every frame once and in order, over pauses and seeks, with a thread that reads", arguments: 0..<2)
    func steady(card: Int) throws {
        var rig = try Rig(Self.cards[card], gate: .max)
        var chance = SplitMix64(seed: 9)
        for _ in 0..<40 {
            try rig.run.acquire()
            try rig.play(for: .microseconds(Int64.random(in: 1...400_000, using: &chance)))
            let detail = rig.run.release()
            #expect(rig.room.firstFault() == nil)
            #expect(Int64(rig.room.heard.count) == detail.position)
        }
        #expect(rig.driver.counts.underruns == 0)
        #expect(rig.source.seeks == 0, "what a pause takes back is still there")
    }

    @Test("a prepare while it plays from its first frame sets no other place")
    func preparedAnew() throws {
        var rig = try Rig(gate: .max)
        try rig.run.acquire()
        try rig.play(for: .milliseconds(300))
        try rig.feed.prefetch(at: 400_000)
        try rig.play(for: .milliseconds(700))
        let detail = rig.run.release()
        #expect(rig.room.firstFault() == nil)
        #expect(Int64(rig.room.heard.count) == detail.position)
    }

    @Test("a disk that hangs: all that was read is heard, then the device is given back, and told")
    func hangs() throws {
        var rig = try Rig(gate: 100_000)
        try rig.run.acquire()
        let error = #expect(throws: DeviceError.self) { try rig.play(for: .seconds(10)) }
        #expect(error?.kind == .stalled)
        #expect(error?.device == "gated")
        #expect(rig.clock.now - MonotonicTime(nanoseconds: 1_000_000_000) <= .seconds(4))
        let detail = rig.run.release()
        #expect(detail.position == 100_000)
        #expect(detail.off == 0 && detail.bound == 0)
        #expect(rig.room.heard.count == 100_000)
        #expect(rig.room.open == 0)
        // While it hangs no device is taken again.
        let openings = rig.room.openings
        let again = #expect(throws: DeviceError.self) { try rig.run.acquire() }
        #expect(again?.kind == .stalled)
        #expect(rig.room.openings == openings)
        // When it answers, the sound goes on at the very next frame.
        rig.source.open(to: .max)
        rig.settle()
        try rig.run.acquire()
        try rig.play(for: .milliseconds(300))
        let last = rig.run.release()
        #expect(Int64(rig.room.heard.count) == last.position)
        #expect(rig.room.firstFault() == nil)
    }

    @Test("a pause while the disk hangs is as quick and as exact as ever", arguments: 0..<2, [0, 80, 400])
    func pausedWhileHung(card: Int, after: Int) throws {
        var rig = try Rig(Self.cards[card], gate: 48_000)
        try rig.run.acquire()
        try rig.play(for: .milliseconds(900 + after))
        let asked = rig.clock.now
        let detail = rig.run.release()
        #expect(rig.clock.now - asked <= .milliseconds(100))
        #expect(rig.room.open == 0)
        #expect(Int64(rig.room.heard.count) == detail.position)
        rig.source.open(to: .max)
        rig.settle()
        try rig.run.acquire()
        try rig.play(for: .milliseconds(300))
        let last = rig.run.release()
        #expect(Int64(rig.room.heard.count) == last.position)
        #expect(rig.room.firstFault() == nil)
    }

    @Test("a disk that stands for less than a second is a gap in time, not in content", arguments: 0..<2)
    func stutters(card: Int) throws {
        var rig = try Rig(Self.cards[card], gate: 48_000)
        try rig.run.acquire()
        for round in 1...5 {
            try rig.play(for: .milliseconds(1500))
            rig.source.open(to: Int64(round + 1) * 48_000)
        }
        rig.settle()
        try rig.play(for: .milliseconds(500))
        #expect(rig.room.openings == 1)
        #expect(rig.driver.counts.underruns >= 5)
        let last = rig.run.release()
        #expect(Int64(rig.room.heard.count) == last.position)
        #expect(rig.room.firstFault() == nil)
    }

    @Test("while the media is behind, its answer wakes the player: nothing waits for a turn", arguments: [30_000, 0])
    func woken(gate: Int64) throws {
        var rig = try Rig(gate: gate)
        try rig.run.acquire()
        try rig.play(for: .milliseconds(620))
        var wait = WaitSet()
        rig.driver.prepare(&wait)
        let bell = try #require(rig.feed.reader.bells?.player.descriptor)
        #expect(wait.entries.map(\.descriptor) == [bell])
        rig.source.open(to: .max)
        var patience = WaitSet()
        patience.add(bell)
        patience.wake(at: .now + .seconds(20))
        let count = patience.waitForEvents(SystemClock(), waking: try Mailbox<Never>())
        #expect(count == 1)
    }

    @Test("a seek to what has not been read waits for it with the stream stopped; a pause does not wait")
    func seekWhileHung() throws {
        var rig = try Rig(gate: 30_000)
        try rig.run.acquire()
        try rig.play(for: .milliseconds(200))
        rig.driver.controls.seek(to: 5_000_000)
        try rig.play(for: .milliseconds(300))
        #expect(rig.driver.controls.position == 5_000_000)
        let asked = rig.clock.now
        #expect(rig.run.release().position == 5_000_000)
        #expect(rig.clock.now == asked)
        rig.room.heard.removeAll()
        rig.source.open(to: .max)
        rig.settle()
        try rig.run.acquire()
        try rig.play(for: .milliseconds(300))
        #expect(rig.room.heard.first == 5_000_001)
        let last = rig.run.release()
        #expect(last.position == 5_000_000 + Int64(rig.room.heard.count))
    }

    @Test("a feed that is let go of while its source hangs holds nobody up; its thread ends with the read")
    func letGo() throws {
        let source = try GatedSource(frames: 1000, gate: 0)
        weak var reader: MediaReader?
        do {
            let feed = try MediaFeed(source, ahead: .seconds(1))
            try feed.seek(to: 0)
            reader = feed.reader
            let end = MonotonicTime.now + .seconds(20)
            while MonotonicTime.now < end, !source.isBlocked { sched_yield() }
        }
        #expect(reader != nil)
        source.open(to: .max)
        let end = MonotonicTime.now + .seconds(20)
        while MonotonicTime.now < end, reader != nil { sched_yield() }
        #expect(reader == nil)
    }
}
