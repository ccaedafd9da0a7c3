import OnstageCore
import Testing

@testable import OnstagePlayback

@Suite("Scripts: a card that takes sound long before it is heard (USB): what is under way is not lost")
struct UnderWayTests {
    private static let guardFrames = 1440
    private static let queue = 960

    /// A player on a USB card in memory.
    private func rig(
        isPlain: Bool = true, buffer: Int? = nil, playsOut: Bool = false, behind: Int = 240, rounding: Int = 0,
        frames: Int64 = 1_000_000
    ) -> PlayerRig {
        PlayerRig(
            FakeOutput.Make(
                isPlain: isPlain, isBatch: true, period: (buffer ?? (isPlain ? 4800 : 1920)) / 4,
                buffer: buffer ?? (isPlain ? 4800 : 5760), guardFrames: Self.guardFrames,
                grain: rounding > 0 ? 48 : 288, behind: behind,
                queue: Self.queue, playsOut: playsOut, rounding: rounding),
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

    @Test("dry, and a frame of the bus less was under way than its delay told: no more is heard again than the guard")
    func dryRounded() throws {
        var rig = self.rig(playsOut: true, behind: 0, rounding: 47)
        try rig.run.acquire()
        for round in 1...20 {
            try rig.run.play(for: .milliseconds(300 + 7 * round))
            rig.clock.advance(by: .seconds(2))
            try rig.run.play(for: .milliseconds(100))
        }
        #expect(rig.run.release().position == rig.next)
        let jumps = rig.jumps
        #expect(jumps.count == 20 && jumps.allSatisfy { -Self.guardFrames...0 ~= $0 }, "\(jumps)")
    }

    @Test("dry, and gone when it is to go on: what was under way is given up once", arguments: 0..<6)
    func goneWhenDry(at place: Int) throws {
        var rig = self.rig(behind: 0)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(300 + 7 * place))
        rig.clock.advance(by: .seconds(2))
        rig.room.faults = [.prepare(Errno.ENODEV)]
        let error = #expect(throws: DeviceError.self) { try rig.run.play(for: .milliseconds(300)) }
        #expect(error?.kind == .absent)
        let position = try #require(rig.run.release().position)
        #expect(position <= rig.next)
        #expect(rig.next - position <= Int64(Self.guardFrames))
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

    @Test("pulled while a long ring plays, and told of late: none is lost", arguments: 0..<12)
    func pulledLate(at place: Int) throws {
        var rig = self.rig(buffer: 96_000)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(900 + 57 * place))
        rig.room.last?.pull()
        rig.clock.advance(by: .milliseconds(150))
        #expect(throws: DeviceError.self) { try rig.run.play(for: .seconds(1)) }
        let detail = rig.run.release(hurried: true)
        let (position, bound) = (try #require(detail.position), try #require(detail.bound))
        #expect(position <= rig.next && rig.next <= position + bound)
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
