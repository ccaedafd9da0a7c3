import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite("Scripts: faults at any step, 0 lost and 0 repeated all the same")
struct FaultTests {
    static let cards = [FakeOutput.Make(), FakeOutput.Make(isPlain: false, period: 480, buffer: 5760)]

    @Test("A-11: a refused block is written again, the place is kept, the sound goes on", arguments: 0..<2)
    func underrun(card: Int) throws {
        var rig = PlayerRig(Self.cards[card])
        try rig.run.acquire()
        for _ in 0..<10 {
            try rig.run.play(for: .milliseconds(130))
            rig.room.faults.append(.refuse(Errno.EPIPE))
            try rig.run.play(for: .milliseconds(130))
        }
        let detail = rig.run.release()
        #expect(rig.room.firstFault() == nil)
        #expect(Int64(rig.room.heard.count) == detail.position)
        #expect(rig.driver.counts.underruns == 10)
        #expect(rig.reports.recovered.count == 10)
    }

    @Test("A-11: stopped for 2 s, the card runs dry; it goes on with the next frame", arguments: 0..<2)
    func stopped(card: Int) throws {
        var rig = PlayerRig(Self.cards[card])
        try rig.run.acquire()
        for _ in 0..<5 {
            try rig.run.play(for: .milliseconds(70))
            rig.clock.advance(by: .seconds(2))
            try rig.run.play(for: .milliseconds(70))
        }
        rig.clock.advance(by: .seconds(2))
        let detail = rig.run.release()
        #expect(rig.room.firstFault() == nil)
        #expect(Int64(rig.room.heard.count) == detail.position)
        #expect(detail.off == 0)
    }

    @Test("short writes lose nothing", arguments: 0..<2)
    func shortWrites(card: Int) throws {
        var rig = PlayerRig(Self.cards[card])
        rig.room.faults = (1...40).map { .shortWrite($0 * 7 % 200 + 1) }
        try rig.run.acquire()
        try rig.run.play(for: .seconds(1))
        let detail = rig.run.release()
        #expect(rig.room.firstFault() == nil)
        #expect(Int64(rig.room.heard.count) == detail.position)
    }

    @Test("A-12: a card that is pulled is absent, the place kept, nothing left open")
    func pulled() throws {
        var rig = PlayerRig()
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(300))
        rig.room.faults = [.refuse(Errno.ENODEV)]
        let error = #expect(throws: DeviceError.self) { try rig.run.play(for: .seconds(1)) }
        #expect(error?.kind == .absent)
        let detail = rig.run.release(hurried: true)
        #expect(rig.room.open == 0)
        let position = try #require(detail.position)
        let bound = try #require(detail.bound)
        #expect(Int64(rig.room.heard.count) >= position)
        #expect(Int64(rig.room.heard.count) <= position + bound)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(100))
        #expect(rig.room.last?.isClosed == false)
        _ = rig.run.release()
        #expect(rig.room.open == 0)
    }

    @Test(
        "A-06: insane delays move no position",
        arguments: [-3, 1 << 62, -(1 << 62), 7_000_000_000_000_000_000] as [Int64])
    func insane(delay: Int64) throws {
        var rig = PlayerRig()
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(200))
        // At the first looks of the pause: at the cut, and while the silence is waited for.
        rig.room.faults = (0..<3).map { _ in .delay(delay) }
        let detail = rig.run.release()
        #expect(rig.room.firstFault() == nil)
        #expect(Int64(rig.room.heard.count) == detail.position)
        #expect(detail.off == 0)
    }

    @Test(
        "A-09: very short sounds are heard to their last frame, and ended is told after it", arguments: [1, 100, 1199])
    func short(frames: Int64) throws {
        for make in Self.cards {
            var rig = PlayerRig(make, media: RampSource(frames: frames))
            let (room, reports) = (rig.room, rig.reports)
            try rig.run.acquire()
            try rig.run.play(for: .seconds(1), stop: { reports.ended > 0 })
            #expect(room.heard.count == Int(frames))
            #expect(rig.run.release().position == 0)
            #expect(reports.ended == 1)
        }
    }

    @Test("A-24: a loop has no gap and no double, its position is modulo its length")
    func loop() throws {
        var rig = PlayerRig(media: RampSource(frames: 1537)) { $0.isLooped = true }
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(1700))
        let detail = rig.run.release()
        let heard = rig.room.heard
        #expect(heard.count > 50 * 1537)
        #expect(heard.indices.allSatisfy { heard[$0] == Int32($0 % 1537 + 1) })
        #expect(detail.position == Int64(heard.count % 1537))
        #expect(rig.reports.ended == 0)
    }

    @Test("a loop that is called off ends with the pass that is due, not much later", arguments: 0..<8)
    func unlooped(at place: Int) throws {
        var rig = PlayerRig(media: RampSource(frames: 1537)) { $0.isLooped = true }
        let (room, reports) = (rig.room, rig.reports)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(300 + 25 * place))
        let before = room.heard.count
        rig.driver.controls.isLooped = false
        try rig.run.play(for: .seconds(1), stop: { reports.ended > 0 })
        #expect(reports.ended == 1)
        #expect(room.heard.count % 1537 == 0)
        // The ring, a turn's worth and the pass.
        #expect(room.heard.count - before <= 4800 + 1200 + 1537)
        _ = rig.run.release()
    }

    @Test("a volume that is set while it plays is heard after what stands in the ring and a turn")
    func volumeWhilePlaying() throws {
        var rig = PlayerRig()
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(333))
        let before = rig.room.heard.count
        rig.driver.controls.volume = 0
        try rig.run.play(for: .milliseconds(600))
        let ramp = 960
        #expect(rig.room.heard.count - before <= 4800 + 2400 + ramp, "what is silent is not counted")
        _ = rig.run.release()
    }

    @Test("L-04: a seek before the first acquire is where it begins")
    func seekBefore() throws {
        var rig = PlayerRig()
        rig.driver.controls.seek(to: 12_345)
        #expect(rig.driver.controls.position == 12_345)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(50))
        #expect(rig.room.heard.first == 12_346)
        _ = rig.run.release()
    }

    @Test("a seek while it plays goes on at that very frame", arguments: 0..<2)
    func seekPlaying(card: Int) throws {
        var rig = PlayerRig(Self.cards[card])
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(200))
        rig.driver.controls.seek(to: 50_000)
        #expect(rig.driver.controls.position == 50_000)
        try rig.run.play(for: .milliseconds(200))
        let detail = rig.run.release()
        let heard = rig.room.heard
        let cut = try #require(heard.firstIndex(of: 50_001))
        #expect(heard[..<cut].elementsEqual(1...Int32(cut)))
        #expect(heard[cut...].elementsEqual(50_001..<(50_001 + Int32(heard.count - cut))))
        #expect(detail.position == 50_000 + Int64(heard.count - cut))
    }

    @Test("a seek that is for later lets play what plays, and is where the next play begins", arguments: 0..<2)
    func seekOnceReleased(card: Int) throws {
        var rig = PlayerRig(Self.cards[card])
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(300))
        rig.driver.controls.seek(to: 7, onceReleased: true)
        #expect(rig.driver.controls.position == 7)
        try rig.run.play(for: .milliseconds(300))
        let detail = rig.run.release()
        #expect(detail.position == 7)
        let before = rig.room.heard.count
        #expect(before > 24_000 && rig.room.firstFault() == nil)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(300))
        _ = rig.run.release()
        #expect(rig.room.heard[before] == 8)
    }

    @Test("W-02: media that is shorter than its header said ends where it really ends")
    func truncated() throws {
        var rig = PlayerRig(media: RampSource(frames: 50_000, real: 20_000))
        let reports = rig.reports
        try rig.run.acquire()
        try rig.run.play(for: .seconds(2), stop: { reports.ended > 0 })
        #expect(rig.room.heard.count == 20_000)
        #expect(reports.ended == 1)
        _ = rig.run.release()
    }

    @Test("fast where it fits, exact elsewhere, and the receipt says which")
    func fast() {
        for (make, mode) in [
            (FakeOutput.Make(), PauseMode.fast), (FakeOutput.Make(canHold: true), .fast),
            (FakeOutput.Make(isBatch: true), .exact), (FakeOutput.Make(isBatch: true, canHold: true), .exact),
            (FakeOutput.Make(isPlain: false, period: 480, buffer: 5760), .exact),
        ] {
            var rig = PlayerRig(make) { $0.pauseMode = .fast }
            #expect(throws: Never.self) {
                try rig.run.acquire()
                try rig.run.play(for: .milliseconds(333))
            }
            let detail = rig.run.release()
            #expect(detail.mode == mode)
            #expect(Int64(rig.room.heard.count) == detail.position)
            #expect(rig.room.firstFault() == nil)
        }
    }

    @Test("a hurried release is fast where it fits", arguments: [false, true])
    func hurried(canHold: Bool) throws {
        var rig = PlayerRig(FakeOutput.Make(canHold: canHold))
        for _ in 0..<10 {
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(77))
            let asked = rig.clock.now
            let detail = rig.run.release(hurried: true)
            #expect(rig.clock.now == asked, "it waits for nothing")
            #expect(detail.mode == .fast)
            #expect(Int64(rig.room.heard.count) == detail.position)
        }
        #expect(rig.room.firstFault() == nil)
    }

    @Test(
        "fast, and the machine stands still at any call: the receipt's bound holds; a card that stops and tells in one go is exact",
        arguments: [false, true], 1...4 as ClosedRange<UInt64>)
    func fastBound(canHold: Bool, seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        var rig = PlayerRig(FakeOutput.Make(canHold: canHold)) { $0.pauseMode = .fast }
        let room = rig.room
        var worst: Int64 = 0
        for _ in 0..<60 {
            try rig.run.acquire()
            let (from, before) = (rig.driver.controls.position, room.heard.count)
            try rig.run.play(for: .milliseconds(Int64.random(in: 20...90, using: &chance)))
            room.slowness = {
                Bool.random(using: &chance) ? .microseconds(Int.random(in: 1...40_000, using: &chance)) : .zero
            }
            let detail = rig.run.release()
            room.slowness = { .zero }
            let position = try #require(detail.position)
            let off = abs(from + Int64(room.heard.count - before) - position)
            worst = max(worst, off)
            #expect(off <= detail.bound ?? 0)
            if canHold, detail.mode == .fast { #expect(off == 0) }
        }
        if !canHold { #expect(worst > 480, "nothing was tried") }
    }

    @Test("a fast pause behind the last frame of the media tells its end")
    func fastAtEnd() throws {
        var rig = PlayerRig(media: RampSource(frames: 4_000)) { $0.pauseMode = .fast }
        try rig.run.acquire()
        let room = rig.room
        try rig.run.play(for: .seconds(1), stop: { room.heard.count == 4_000 })
        let detail = rig.run.release()
        #expect(detail.position == 0)
        #expect(rig.reports.ended == 1)
    }

    @Test("a splice that comes too late is told, and the position is corrected by what was passed")
    func lateSplice() throws {
        var rig = PlayerRig()
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(333))
        let room = rig.room
        // 6 ms for each call: the 10 ms of the horizon are over before the silence is written.
        room.slowness = { .milliseconds(6) }
        let detail = rig.run.release()
        room.slowness = { .zero }
        #expect(room.firstFault() == nil)
        let off = try #require(detail.off)
        let position = try #require(detail.position)
        #expect(abs(Int64(room.heard.count) - position) <= off)
    }

    @Test("a mixer's pointer that is almost there is let pass: what is written then goes behind new silence")
    func tooNear() throws {
        var rig = PlayerRig(FakeOutput.Make(isPlain: false, period: 480, buffer: 5760, mixer: 0))
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(200))
        let output = try #require(rig.room.last)
        while output.available() < 5760 - 200 { rig.clock.advance(by: .milliseconds(1)) }
        try rig.run.play(for: .milliseconds(100))
        let detail = rig.run.release()
        #expect(rig.driver.counts.underruns == 1)
        #expect(rig.room.firstFault() == nil)
        #expect(Int64(rig.room.heard.count) == detail.position)
    }

    @Test("the silence of a pause that is taken in pieces ends it no sooner", arguments: 0..<2)
    func silenceInPieces(card: Int) throws {
        var rig = PlayerRig(Self.cards[card])
        for _ in 0..<5 {
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(130))
            rig.room.faults = [.shortWrite(200)]
            let detail = rig.run.release()
            #expect(rig.room.firstFault() == nil)
            #expect(Int64(rig.room.heard.count) == detail.position)
        }
    }

    @Test("stopped for long while a pause waits: what was taken back into the ring is not heard")
    func stoppedInPause() throws {
        var rig = PlayerRig(FakeOutput.Make(period: 24_000, buffer: 96_000)) { $0.bufferTime = .seconds(2) }
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(500))
        let detail = rig.run.release(late: { .seconds(1) })
        #expect(rig.room.firstFault() == nil)
        #expect(Int64(rig.room.heard.count) == detail.position)
        #expect(detail.off == 0)
    }

    @Test(
        "a card that went round its ring while the machine stood still: told, and all of it counts as heard",
        arguments: [PauseMode.fast, .exact])
    func round(mode: PauseMode) throws {
        var rig = PlayerRig { $0.pauseMode = mode }
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(333))
        rig.room.last?.goRound()
        try rig.run.play(for: .milliseconds(100))
        #expect(rig.reports.recovered.contains { $0.kind == .stalled })
        rig.room.last?.goRound()
        let detail = rig.run.release()
        #expect(rig.room.firstFault() == nil)
        #expect(Int64(rig.room.heard.count) == detail.position)
        #expect((detail.off ?? 0) > 0)
    }

    @Test("A-07: a card whose pointer stands does not hold a pause up")
    func stalled() throws {
        var rig = PlayerRig()
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(100))
        let asked = rig.clock.now
        rig.room.faults = (0..<10_000).map { _ in .delay(1_000) }
        let detail = rig.run.release()
        #expect(rig.clock.now - asked <= .milliseconds(350))
        #expect(rig.room.open == 0)
        #expect(detail.released != nil)
    }

    @Test("A-07: nor the end of the media: what stands at it is told, and a pause gives it back")
    func stalledAtTheEnd() throws {
        var rig = PlayerRig(media: RampSource(frames: 9_600))
        let (room, reports) = (rig.room, rig.reports)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(150))
        // All of the media is in the ring; from now on the card says that it plays no more of it.
        room.faults = (0..<10_000).map { _ in .delay(1_000) }
        try rig.run.play(
            for: .seconds(2), stop: { reports.ended > 0 || reports.recovered.contains { $0.kind == .stalled } })
        #expect(reports.ended > 0 || reports.recovered.contains { $0.kind == .stalled }, "somebody is told")
        let asked = rig.clock.now
        let detail = rig.run.release()
        #expect(rig.clock.now - asked <= .milliseconds(350))
        #expect(room.open == 0 && detail.released != nil)
    }
}
