import OnstageCore
import Testing

@testable import OnstagePlayback

@Suite("Scripts: a card that takes sound long before it is heard (USB): what is under way is not lost")
struct UnderWayTests {
    private static let guardFrames = 1440
    private static let queue = 960

    /// A player on a USB card in memory.
    private func rig(
        isPlain: Bool = true, buffer: Int? = nil, playsOut: Bool = false, frames: Int64 = 1_000_000
    ) -> PlayerRig {
        PlayerRig(
            FakeOutput.Make(
                isPlain: isPlain, isBatch: true, period: (buffer ?? (isPlain ? 4800 : 1920)) / 4,
                buffer: buffer ?? (isPlain ? 4800 : 5760), guardFrames: Self.guardFrames, grain: 288, behind: 240,
                queue: Self.queue, playsOut: playsOut),
            media: RampSource(frames: frames))
    }

    @Test("the position of a running stream does not count what is under way")
    func position() throws {
        var rig = self.rig()
        try rig.run.acquire()
        for _ in 0..<40 {
            try rig.run.play(for: .milliseconds(37))
            // The clock tells the frames since the last look.
            #expect(rig.driver.controls.position <= rig.next + 240 + 288)
        }
        _ = rig.run.release()
    }

    @Test("stopped until it runs dry: it goes on with what was under way", arguments: [true, false], [true, false])
    func dry(isPlain: Bool, playsOut: Bool) throws {
        var rig = self.rig(isPlain: isPlain, playsOut: playsOut)
        try rig.run.acquire()
        for round in 1...5 {
            try rig.run.play(for: .milliseconds(300))
            rig.clock.advance(by: .seconds(2))
            try rig.run.play(for: .milliseconds(300))
            #expect(rig.faults.lost == 0)
            #expect(rig.faults.repeated > 0)
            #expect(rig.faults.repeated <= round * Self.guardFrames)
        }
        let detail = rig.run.release()
        #expect(detail.position == rig.next)
        #expect(detail.bound == 0)
        #expect(rig.driver.counts.underruns == 5)
    }

    @Test("dry again before more is heard than would be lost: given up, not begun anew for ever")
    func dryForEver() throws {
        var rig = self.rig(buffer: 1200)
        try rig.run.acquire()
        let error = #expect(throws: DeviceError.self) {
            for _ in 0..<20 {
                // Some is heard, but less than may have been lost.
                try rig.run.play(for: .milliseconds(2))
                rig.clock.advance(by: .seconds(1))
            }
        }
        #expect(error?.errno == Errno.EPIPE)
        #expect(rig.run.release().position == 0)
        #expect(rig.room.open == 0)
    }

    @Test("a pause of a stream that has run dry: the first frame that may not have been heard, and its bound")
    func dryInPause() throws {
        var rig = self.rig()
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(300))
        rig.clock.advance(by: .seconds(2))
        let detail = rig.run.release()
        let (position, bound) = (try #require(detail.position), try #require(detail.bound))
        #expect(position < rig.next)
        #expect(position + bound >= rig.next)
        #expect(bound <= Int64(Self.guardFrames + Self.queue))
        #expect(detail.off == nil)
    }

    @Test("stopped so long in a pause that the silence runs dry: all was heard")
    func silenceRunsDry() throws {
        var rig = self.rig()
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(300))
        let detail = rig.run.release(late: { .seconds(1) })
        #expect(rig.room.firstFault() == nil)
        #expect(detail.position == rig.next)
        #expect(detail.bound == 0)
        #expect(detail.off == 0)
    }

    @Test("pulled at any moment: none is lost, no more heard again than may lie behind the pointer", arguments: 0..<12)
    func pulled(at place: Int) throws {
        var rig = self.rig()
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(200 + 7 * place))
        rig.room.last?.pull()
        let error = #expect(throws: DeviceError.self) { try rig.run.play(for: .milliseconds(1)) }
        #expect(error?.kind == .absent)
        let detail = rig.run.release(hurried: true)
        let (position, bound) = (try #require(detail.position), try #require(detail.bound))
        #expect(position <= rig.next && rig.next <= position + bound)
        #expect(rig.next - position <= Int64(Self.guardFrames))
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(100))
        let last = rig.run.release()
        #expect(rig.faults.lost == 0)
        #expect(last.position == rig.next)
    }

    @Test("a sleep, told by its state alone or by a call: what was not heard is played", arguments: [true, false])
    func asleep(isRefused: Bool) throws {
        var rig = self.rig()
        try rig.run.acquire()
        for round in 1...4 {
            try rig.run.play(for: .milliseconds(310))
            if isRefused {
                rig.room.faults = [.refuse(Errno.ESTRPIPE)]
            } else {
                rig.room.last?.sleep(for: .seconds(2))
            }
            try rig.run.play(for: .milliseconds(310))
            #expect(rig.faults.lost == 0)
            #expect(rig.faults.repeated <= round * Self.guardFrames)
        }
        let detail = rig.run.release()
        #expect(detail.position == rig.next)
        #expect(rig.reports.recovered.map(\.errno) == Array(repeating: Errno.ESTRPIPE, count: 4))
        #expect(rig.driver.counts.underruns == 0)
    }

    @Test("a pause of a stream that a sleep has stopped: the first frame that may not have been heard, and its bound")
    func pausedAsleep() throws {
        var rig = self.rig()
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(310))
        rig.room.last?.sleep(for: .milliseconds(1))
        let detail = rig.run.release()
        let (position, bound) = (try #require(detail.position), try #require(detail.bound))
        #expect(position <= rig.next && rig.next <= position + bound)
        #expect(rig.next - position <= Int64(Self.guardFrames))
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(100))
        _ = rig.run.release()
        #expect(rig.faults.lost == 0)
    }

    @Test("the last frames run dry under way: they are heard, and the end is told once", arguments: 0..<12)
    func dryAtEnd(at place: Int) throws {
        var rig = self.rig(frames: 20_000)
        let reports = rig.reports
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(270 + 10 * place))
        rig.clock.advance(by: .seconds(2))
        try rig.run.play(for: .seconds(2), stop: { reports.ended > 0 })
        #expect(rig.faults.lost == 0)
        #expect(rig.next == 20_000)
        #expect(reports.ended == 1)
        _ = rig.run.release()
    }
}

extension PlayerRig {
    /// Frames that were never heard, and that were heard again.
    fileprivate var faults: (lost: Int, repeated: Int) {
        var (lost, repeated, next) = (0, 0, 1)
        for frame in room.heard {
            if Int(frame) > next { lost += Int(frame) - next } else { repeated += next - Int(frame) }
            next = Int(frame) + 1
        }
        return (lost, repeated)
    }

    /// The frame after the last one heard.
    fileprivate var next: Int64 { Int64(room.heard.last ?? 0) }
}
