import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

/// after a system sleep the stream is begun anew at the first frame that may not have been heard.
@Suite("Scripts: a system sleep while sound plays: nothing is lost, no call is made for ever")
struct SleepTests {
    static let cards = RandomWalkTests.makes.map(\.1)

    /// The most that may be heard again for a sleep: what lies behind the pointer, and what the card played since its last look.
    private func most(_ make: FakeOutput.Make) -> Int { make.guardFrames + make.period + make.grain }

    @Test("at any moment, and on any card; told by the state alone or by a call", arguments: 0..<9, [true, false])
    func asleep(card: Int, isRefused: Bool) throws {
        let make = Self.cards[card]
        var chance = SplitMix64(seed: UInt64(card))
        var rig = PlayerRig(make, media: RampSource(frames: 10_000_000))
        try rig.run.acquire()
        for round in 1...12 {
            try rig.run.play(for: .microseconds(Int.random(in: 300_000...900_000, using: &chance)))
            if isRefused {
                rig.room.faults = [.refuse(Errno.ESTRPIPE)]
            } else {
                rig.room.last?.sleep(for: .milliseconds(Int.random(in: 0...3000, using: &chance)))
            }
            // Until it is written to, in a long ring.
            try rig.run.play(for: .seconds(3), stop: { [reports = rig.reports] in reports.recovered.count == round })
            try rig.run.play(for: .milliseconds(310))
        }
        let detail = rig.run.release()
        let jumps = rig.jumps
        #expect(jumps.allSatisfy { -most(make)...0 ~= $0 }, "\(jumps)")
        #expect(detail.position == rig.next && detail.bound == 0 && detail.off == 0)
        #expect(rig.reports.recovered.map(\.errno) == Array(repeating: Errno.ESTRPIPE, count: 12))
        #expect(rig.driver.counts.underruns == 0)
    }

    @Test("what had passed the pointer for long enough is not heard again", arguments: [0, 144])
    func sure(behind: Int) throws {
        let make = FakeOutput.Make(behind: behind)
        var rig = PlayerRig(make)
        try rig.run.acquire()
        for place in 1...24 {
            try rig.run.play(for: .milliseconds(310 + place))
            rig.room.last?.sleep(for: .seconds(2))
            try rig.run.play(for: .milliseconds(310))
        }
        _ = rig.run.release()
        let jumps = rig.jumps
        #expect(jumps.allSatisfy { -max(make.guardFrames, make.period)...0 ~= $0 }, "\(jumps)")
    }

    @Test("transfers that go on behind the stop that is told: no more is heard again than the guard", arguments: 0...4)
    func goesOn(late: Int) throws {
        let make = FakeOutput.Make(isBatch: true, guardFrames: 1440, grain: 48, queue: 960)
        var rig = PlayerRig(make)
        try rig.run.acquire()
        for place in 1...24 {
            try rig.run.play(for: .milliseconds(310 + place))
            rig.room.last?.sleep(for: .seconds(2), late: .milliseconds(late))
            try rig.run.play(for: .milliseconds(310))
        }
        _ = rig.run.release()
        let jumps = rig.jumps
        #expect(jumps.count == 24 && jumps.allSatisfy { -make.guardFrames...0 ~= $0 }, "\(jumps)")
    }

    @Test("right behind a write: its ring is full and stays so, and no clock tells", arguments: 0..<2)
    func behindWrite(card: Int) throws {
        var rig = PlayerRig(FaultTests.cards[card])
        let (room, reports) = (rig.room, rig.reports)
        try rig.run.acquire()
        for round in 1...4 {
            try rig.run.play(for: .milliseconds(310))
            let written = try #require(room.last).written
            try rig.run.play(for: .seconds(1), stop: { room.last?.written != written })
            room.last?.sleep(for: .milliseconds(1))
            try rig.run.play(for: .milliseconds(310))
            #expect(reports.recovered.count == round)
            #expect(rig.faults.lost == 0)
        }
        #expect(reports.recovered.map(\.errno) == Array(repeating: Errno.ESTRPIPE, count: 4))
        _ = rig.run.release()
    }

    @Test(
        "a card that is not awake yet is waited for, without haste, and told once",
        arguments: [
            (0..<10).map { _ in .prepare(Errno.EAGAIN) }, [.start(Errno.EAGAIN), .start(Errno.EAGAIN)],
            (0..<10).map { _ in .refuse(Errno.ESTRPIPE) }, [.prepare(Errno.EAGAIN), .start(Errno.ESTRPIPE)],
        ] as [[FakeOutput.Fault]], [0, 7])
    func slow(faults: [FakeOutput.Fault], card: Int) throws {
        let make = Self.cards[card]
        var rig = PlayerRig(make)
        let (clock, room) = (rig.clock, rig.room)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(310))
        room.last?.sleep(for: .seconds(2))
        room.faults = faults
        let from = clock.now
        // A wish of another volume is no reason to ask it more often. (At this one each frame still is its own number.)
        rig.driver.controls.volume = 0.999_999_999_9
        var turns = 0
        while !room.faults.isEmpty, turns < 100 {
            rig.run.turn(until: clock.now + .seconds(1))
            try rig.run.play(for: .nanoseconds(1))
            turns += 1
        }
        #expect(clock.now - from >= .milliseconds(100) * (faults.count - 1))
        #expect(clock.now - from <= .milliseconds(100) * (faults.count + 1))
        #expect(turns <= 2 * faults.count + 2)
        try rig.run.play(for: .milliseconds(500))
        #expect(rig.faults.lost == 0)
        #expect(rig.faults.repeated <= most(make))
        #expect(rig.reports.recovered.map(\.errno) == [Errno.ESTRPIPE])
        let detail = rig.run.release()
        #expect(detail.position == rig.next && detail.bound == 0)
    }

    @Test(
        "a card that does not wake, or falls asleep for ever: given up, not begun anew without end",
        arguments: [FakeOutput.Fault.prepare(Errno.EAGAIN), .start(Errno.EAGAIN), .refuse(Errno.ESTRPIPE)], [0, 4, 7])
    func forEver(fault: FakeOutput.Fault, card: Int) throws {
        var rig = PlayerRig(Self.cards[card])
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(310))
        rig.room.last?.sleep(for: .seconds(2))
        rig.room.faults = (0..<1000).map { _ in fault }
        let from = rig.clock.now
        let error = #expect(throws: DeviceError.self) { try rig.run.play(for: .seconds(60)) }
        #expect(error?.errno == Errno.ESTRPIPE)
        #expect(rig.clock.now - from < .seconds(5))
        #expect(rig.room.faults.count > 900)
        let detail = rig.run.release()
        let position = try #require(detail.position)
        #expect(position <= rig.next && rig.next <= position + (detail.bound ?? 0))
        #expect(rig.room.open == 0)
        #expect(rig.reports.recovered.isEmpty)
    }

    @Test("asleep again each time before more is heard than would be lost: given up", arguments: [240, 1440])
    func again(guardFrames: Int) throws {
        // It is looked at every 2 ms, so that some is seen to be heard.
        var rig = PlayerRig(
            FakeOutput.Make(isBatch: guardFrames > 240, period: 96, buffer: 480, guardFrames: guardFrames))
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(310))
        let error = #expect(throws: DeviceError.self) {
            for _ in 0..<100 {
                rig.room.last?.sleep(for: .seconds(1))
                try rig.run.play(for: .milliseconds(3))
            }
        }
        #expect(error?.errno == Errno.ESTRPIPE)
        _ = rig.run.release()
        #expect(rig.room.open == 0)
    }

    @Test(
        "a pause of a stream that a sleep has stopped: the first frame that may not have been heard, and its bound",
        arguments: 0..<9, [PauseMode.exact, .fast])
    func paused(card: Int, mode: PauseMode) throws {
        let make = Self.cards[card]
        for place in 0..<12 {
            var rig = PlayerRig(make) { $0.pauseMode = mode }
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(310 + 3 * place))
            rig.room.last?.sleep(for: .milliseconds(1))
            let detail = rig.run.release()
            let (position, bound) = (try #require(detail.position), try #require(detail.bound))
            #expect(position <= rig.next && rig.next <= position + bound)
            #expect(rig.next - position <= Int64(most(make)))
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(100))
            _ = rig.run.release()
            #expect(rig.faults.lost == 0)
        }
    }

    @Test("asleep in the midst of a pause: nothing of what was cut off is lost", arguments: 0..<9)
    func whilePausing(card: Int) throws {
        var rig = PlayerRig(Self.cards[card])
        for place in 1...12 {
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(200 + 3 * place))
            let room = rig.room
            var turns = 0
            let detail = rig.run.release(late: {
                turns += 1
                if turns == 1 + place % 3 { room.last?.sleep(for: .seconds(2)) }
                return .zero
            })
            let (position, bound) = (try #require(detail.position), try #require(detail.bound))
            #expect(position <= rig.next && rig.next <= position + bound)
        }
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(200))
        _ = rig.run.release()
        #expect(rig.faults.lost == 0)
    }

    @Test("a pause while a card is waited for: what its receipt says holds, and nothing is lost", arguments: [0, 3, 7])
    func pausedWaiting(card: Int) throws {
        for fault in [FakeOutput.Fault.prepare(Errno.EAGAIN), .start(Errno.EAGAIN), .refuse(Errno.ESTRPIPE)] {
            var rig = PlayerRig(Self.cards[card])
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(310))
            rig.room.last?.sleep(for: .seconds(2))
            rig.room.faults = (0..<5).map { _ in fault }
            try rig.run.play(for: .milliseconds(250))
            #expect(rig.reports.recovered.isEmpty)
            let before = rig.clock.now
            let detail = rig.run.release()
            #expect(rig.clock.now == before, "it waits for nothing")
            let (position, bound) = (try #require(detail.position), try #require(detail.bound))
            #expect(position <= rig.next && rig.next <= position + bound)
            #expect(bound > 0)
            rig.room.faults = []
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(200))
            #expect(rig.run.release().position == rig.next)
            #expect(rig.faults.lost == 0)
        }
    }

    @Test("a seek while a card is waited for is where it begins when it is awake")
    func seek() throws {
        var rig = PlayerRig()
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(310))
        rig.room.last?.sleep(for: .seconds(2))
        rig.room.faults = (0..<5).map { _ in .prepare(Errno.EAGAIN) }
        try rig.run.play(for: .milliseconds(250))
        let before = rig.room.heard.count
        rig.driver.controls.seek(to: 50_000)
        try rig.run.play(for: .milliseconds(20))
        #expect(rig.driver.controls.position == 50_000)
        try rig.run.play(for: .milliseconds(800))
        #expect(rig.run.release().position == rig.next)
        #expect(rig.room.heard[before...].elementsEqual(50_001..<50_001 + Int32(rig.room.heard.count - before)))
        #expect(rig.room.heard.count > before + 10_000)
    }

    @Test(
        "asleep with its last frames in the ring: they are heard, and the end is told once", arguments: 0..<16,
        [0, 3, 7])
    func atEnd(place: Int, card: Int) throws {
        let make = Self.cards[card]
        var rig = PlayerRig(make, media: RampSource(frames: 20_000))
        let reports = rig.reports
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(270 + 10 * place), stop: { reports.ended > 0 })
        rig.room.last?.sleep(for: .seconds(2))
        try rig.run.play(for: .seconds(5), stop: { reports.ended > 0 })
        #expect(reports.ended == 1)
        #expect(rig.faults.lost == 0)
        #expect(rig.next == 20_000)
        #expect(rig.faults.repeated <= most(make))
        #expect(rig.run.release().position == 0)
    }

    @Test("in a loop it goes on in the pass that it was in", arguments: 0..<8)
    func loop(at place: Int) throws {
        var rig = PlayerRig(media: RampSource(frames: 1537)) { $0.isLooped = true }
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(310 + 7 * place))
        let before = rig.room.heard.count
        rig.room.last?.sleep(for: .seconds(2))
        try rig.run.play(for: .milliseconds(310))
        let detail = rig.run.release()
        let heard = rig.room.heard
        #expect(heard.count > before + 10_000)
        // The frame from which it was heard again, by its number: of a pass that is shorter than what is heard again at most.
        let back = (Int64(before) - Int64(heard[before] - 1)) % 1537
        #expect(back >= 0 && back <= Int64(most(FakeOutput.Make())))
        for index in before..<heard.count { #expect(heard[index] == Int32((Int64(index) - back) % 1537 + 1)) }
        #expect((detail.position ?? -1) % 1537 == (Int64(heard.count) - back) % 1537)
    }

    @Test("a card that is gone when the system wakes: what was under way is given up once", arguments: 0..<6)
    func gone(at place: Int) throws {
        var make = Self.cards[7]
        make.behind = 0
        var rig = PlayerRig(make)
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(310 + 7 * place))
        rig.room.last?.sleep(for: .zero)
        rig.room.faults = [.prepare(Errno.ENODEV)]
        let error = #expect(throws: DeviceError.self) { try rig.run.play(for: .milliseconds(300)) }
        #expect(error?.kind == .absent)
        let detail = rig.run.release()
        let (position, bound) = (try #require(detail.position), try #require(detail.bound))
        #expect(position <= rig.next && rig.next <= position + bound)
        #expect(rig.next - position <= Int64(make.guardFrames))
    }
}
