import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstagePlayback

/// Sound that comes when it comes: silence is no fault, nothing is lost, and no pause waits for it.
@Suite("Scripts: sound that comes when it comes") struct LiveTests {
    /// An app that has frames up to a gate. Frame n is n + 1, so that silence is 0.
    private final class App: Sendable {
        let gate = Atomic<Int64>(0)
        let next = Atomic<Int64>(0)
        let last: Int64?

        init(last: Int64? = nil) {
            self.last = last
        }

        func allow(_ frames: Int64) { gate.add(frames, ordering: .relaxed) }

        func source(length: Int64? = nil) throws(DeviceError) -> PCMSource {
            let fill: PCMSource.Fill = { (samples: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int? in
                let first = self.next.load(ordering: .relaxed)
                if let last = self.last, first >= last { return nil }
                let most = min(self.gate.load(ordering: .relaxed), self.last ?? .max)
                let count = max(0, min(frames, Int(most - first)))
                let to = samples.assumingMemoryBound(to: Int32.self)
                for index in 0..<count { to[index] = Int32(first + Int64(index) + 1) }
                self.next.store(first + Int64(count), ordering: .relaxed)
                return count
            }
            return try PCMSource(
                name: "app", stored: "S32_LE", format: .s32, rate: 48_000, channels: 1, length: length, fill: fill)
        }
    }

    private struct Rig {
        let clock = StillClock()
        let room = FakeOutput.Room()
        let reports = Reports()
        let app: App
        let driver: PlaybackDriver
        var run: DriverRun

        init(_ make: FakeOutput.Make = FakeOutput.Make(), last: Int64? = nil) throws(DeviceError) {
            app = App(last: last)
            driver = PlaybackDriver(
                configuration: PlaybackConfiguration(), media: try app.source(), clock: clock,
                backend: FakeOutput.backend(make, clock, room), report: reports.add)
            run = DriverRun(driver, still: clock)
        }

        var notes: [String] { reports.all.compactMap { if case .note(let text) = $0 { text } else { nil } } }
        var waits: [Bool] { reports.all.compactMap { if case .waiting(let isWaiting) = $0 { isWaiting } else { nil } } }
    }

    static let cards = [FakeOutput.Make(), FakeOutput.Make(isPlain: false, period: 480, buffer: 5760)]

    @Test("what stops coming is waited for in silence, and goes on at the next frame", arguments: 0..<2)
    func stalls(card: Int) throws {
        var rig = try Rig(Self.cards[card])
        rig.app.allow(24_000)
        try rig.run.acquire()
        try rig.run.play(for: .seconds(3))
        #expect(rig.room.heard.count == 24_000)
        #expect(rig.waits == [true])
        // Said once, however long it lasts; and it is no fault.
        #expect(rig.notes == ["nothing comes from app: silence until it does"])
        #expect(rig.reports.recovered.isEmpty && rig.driver.counts.underruns == 0)
        #expect(rig.driver.controls.position == 24_000)
        rig.app.allow(48_000)
        try rig.run.play(for: .milliseconds(500))
        #expect(rig.waits == [true, false])
        let detail = rig.run.release()
        #expect(rig.room.firstFault() == nil)
        #expect(detail.position == Int64(rig.room.heard.count) && detail.off == 0)
        #expect(rig.room.heard.count > 40_000)
    }

    /// A source that is asked is not asked all the time.
    @Test("waiting wakes a hundred times a second at most")
    func quiet() throws {
        var rig = try Rig()
        rig.app.allow(4_800)
        try rig.run.acquire()
        try rig.run.play(for: .seconds(1))
        var turns = 0
        let end = rig.clock.now + .seconds(10)
        while rig.clock.now < end {
            try rig.run.play(for: .nanoseconds(1))
            rig.run.turn(until: end)
            turns += 1
        }
        #expect(turns <= 1_010, "\(turns)")
        _ = rig.run.release()
    }

    @Test("a pause while nothing comes is through at once, and keeps the place", arguments: 0..<2)
    func pauseWhileWaiting(card: Int) throws {
        var rig = try Rig(Self.cards[card])
        rig.app.allow(10_000)
        try rig.run.acquire()
        try rig.run.play(for: .seconds(2))
        let before = rig.clock.now
        let detail = rig.run.release()
        #expect(rig.clock.now - before < .milliseconds(1))
        #expect(detail.position == 10_000 && detail.bound == 0)
        rig.app.allow(10_000)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(100))
        _ = rig.run.release()
        #expect(rig.room.firstFault() == nil)
    }

    @Test("a pause in the midst keeps what was taken and not heard", arguments: 0..<2)
    func pauses(card: Int) throws {
        var rig = try Rig(Self.cards[card])
        var chance = SplitMix64(seed: 7)
        for _ in 0..<40 {
            rig.app.allow(Int64.random(in: 0...6_000, using: &chance))
            try rig.run.acquire()
            for _ in 0..<Int.random(in: 0...4, using: &chance) {
                try rig.run.play(for: .milliseconds(Int.random(in: 1...90, using: &chance)))
                rig.app.allow(Int64.random(in: 0...4_000, using: &chance))
            }
            let detail = rig.run.release()
            #expect(detail.position == Int64(rig.room.heard.count) && detail.off == 0)
        }
        #expect(rig.room.firstFault() == nil)
        #expect(rig.room.heard.count > 48_000)
    }

    @Test("after a system sleep what stood in the ring is written again: it is kept so far", arguments: 0..<2)
    func asleep(card: Int) throws {
        var rig = try Rig(Self.cards[card])
        rig.app.allow(1_000_000)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(310))
        let before = rig.room.heard.count
        rig.room.last?.sleep(for: .seconds(2))
        try rig.run.play(for: .milliseconds(310))
        let detail = rig.run.release()
        let heard = rig.room.heard
        #expect(heard[..<before].elementsEqual(1...Int32(before)))
        #expect(heard[before] <= Int32(before + 1) && heard[before] > Int32(before - 1500))
        #expect(heard[before...].elementsEqual(heard[before]..<heard[before] + Int32(heard.count - before)))
        #expect(detail.position == heard.last.map(Int64.init))
    }

    /// A beep through a pipe that stays open: too little to begin with, and nothing follows.
    @Test("a little that nothing follows is heard all the same")
    func beep() throws {
        var rig = try Rig()
        try rig.run.acquire()
        try rig.run.play(for: .seconds(2))
        rig.app.allow(480)
        try rig.run.play(for: .milliseconds(200))
        #expect(rig.room.heard.count == 480)
        _ = rig.run.release()
    }

    @Test("its end is told behind the last frame, and there is nothing to begin anew", arguments: 0..<2)
    func ends(card: Int) throws {
        var rig = try Rig(Self.cards[card], last: 12_345)
        rig.app.allow(100_000)
        try rig.run.acquire()
        try rig.run.play(for: .seconds(1), stop: { [reports = rig.reports] in reports.ended > 0 })
        #expect(rig.reports.ended == 1)
        #expect(rig.room.heard.count == 12_345 && rig.room.firstFault() == nil)
        #expect(rig.run.release().position == 12_345)
        let openings = rig.room.openings
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(10))
        #expect(rig.reports.ended == 2)
        #expect(rig.room.openings == openings, "no device is opened for nothing")
        _ = rig.run.release()
    }

    @Test("nothing at all ends at once")
    func empty() throws {
        var rig = try Rig(last: 0)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(100), stop: { [reports = rig.reports] in reports.ended > 0 })
        #expect(rig.reports.ended == 1)
        #expect(rig.run.release().position == 0)
    }

    @Test("what cannot be sought is neither sought nor looped")
    func neither() throws {
        var rig = try Rig(last: 4_800)
        rig.app.allow(100_000)
        rig.driver.controls.isLooped = true
        #expect(!rig.driver.controls.isLooped)
        rig.driver.controls.seek(to: 2_400)
        try rig.run.acquire()
        try rig.run.play(for: .seconds(1), stop: { [reports = rig.reports] in reports.ended > 0 })
        #expect(rig.room.heard.count == 4_800 && rig.reports.ended == 1)
        _ = rig.run.release()
    }

    @Test(
        arguments: [(0, 2, nil), (768_001, 2, nil), (48_000, 0, nil), (48_000, 33, nil), (48_000, 2, -1)]
            as [(Int, Int, Int64?)])
    func refused(_ rate: Int, _ channels: Int, _ length: Int64?) {
        #expect {
            _ = try PCMSource(
                name: "app", stored: "", format: .s16, rate: rate, channels: channels, length: length,
                fill: { (_: UnsafeMutableRawPointer, _: Int) throws(DeviceError) -> Int? in nil })
        } throws: {
            ($0 as? DeviceError)?.kind == .configuration
        }
    }
}

/// Samples without a header, through real pipes.
@Suite("Real C: raw samples from a pipe") struct RawPCMTests {
    private struct Pipe: ~Copyable {
        let source: Int32
        let sink: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            precondition(clinux_pipe(&ends, 0) == 0)
            (source, sink) = (ends[0], ends[1])
        }

        func write(_ bytes: some Sequence<UInt8>) {
            let bytes = Array(bytes)
            precondition(clinux_write(sink, bytes, bytes.count) == bytes.count)
        }

        deinit {
            _ = clinux_close(source)
            _ = clinux_close(sink)
        }
    }

    /// Reads up to `frames` frames; nil at the end.
    private func read(_ source: PCMSource, _ frames: Int) throws(DeviceError) -> [UInt8]? {
        let size = source.info.channels * source.format.bytes
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: frames * size, alignment: 16)
        defer { room.deallocate() }
        guard let start = room.baseAddress else { return nil }
        let came = try source.read(into: start, frames: frames)
        return came == 0 ? nil : Array(room[..<(max(0, came) * size)])
    }

    @Test func framesInPieces() throws {
        let pipe = Pipe()
        defer { extendLifetime(pipe) }
        let source = try RawPCM.source(pipe.source, name: "pipe", .s16, rate: 8_000, channels: 2)
        #expect(!source.info.isSeekable && !source.info.hasLength && source.isLive)
        #expect(source.info.format == "S16_LE")
        pipe.write(1...6)
        #expect(try read(source, 10) == [1, 2, 3, 4])
        pipe.write(7...9)
        #expect(try read(source, 10) == [5, 6, 7, 8])
        pipe.write(10...20)
        #expect(try read(source, 2) == Array(9...16))
        #expect(try read(source, 2) == Array(17...20))
        pipe.write(21...22)
        _ = clinux_close(pipe.sink)
        // Half a frame at the end is none.
        #expect(try read(source, 2) == nil)
    }

    @Test func threeBytesBecomeTheHighOnesOfFour() throws {
        let pipe = Pipe()
        defer { extendLifetime(pipe) }
        let source = try RawPCM.source(pipe.source, name: "pipe", .s24, rate: 8_000, channels: 1)
        #expect(source.format == .s24 && source.info.format == "S24_3LE")
        pipe.write([1, 2, 3, 4, 5, 6, 7])
        #expect(try read(source, 100) == [0, 1, 2, 3, 0, 4, 5, 6])
        pipe.write([8, 9])
        #expect(try read(source, 100) == [0, 7, 8, 9])
    }

    @Test(arguments: [RawPCM.Sample.s32, .f32])
    func fourBytesStay(_ sample: RawPCM.Sample) throws {
        let pipe = Pipe()
        defer { extendLifetime(pipe) }
        let source = try RawPCM.source(pipe.source, name: "pipe", sample, rate: 8_000, channels: 2)
        pipe.write(1...16)
        #expect(try read(source, 100) == Array(1...16))
    }

    /// Whoever shares the pipe may have set it to non-blocking: it is waited for all the same.
    @Test func anotherProcessHasSetItToNonBlocking() throws {
        let pipe = Pipe()
        defer { extendLifetime(pipe) }
        #expect(fcntl(pipe.source, F_SETFL, O_NONBLOCK) == 0)
        let source = try RawPCM.source(pipe.source, name: "pipe", .s16, rate: 8_000, channels: 1)
        let sink = pipe.sink
        try PosixThread.start("late") {
            // However early this comes: the read either waits for it or finds it.
            _ = clinux_write(sink, [1, 2] as [UInt8], 2)
        }
        #expect(try read(source, 10) == [1, 2])
    }

    @Test func whatIsNoFileSaysSo() throws {
        let source = try RawPCM.source(-1, name: "pipe", .s16, rate: 8_000, channels: 1)
        #expect {
            _ = try read(source, 10)
        } throws: {
            ($0 as? DeviceError)?.errno == EBADF
        }
    }
}
