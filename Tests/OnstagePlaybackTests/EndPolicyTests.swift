import OnstageCore
import Testing

@testable import OnstagePlayback

@Suite("Scripts: what becomes of the position at the end")
struct EndPolicyTests {
    private static let length: Int64 = 10_000

    private static func ended(_ policy: EndPolicy, _ make: FakeOutput.Make = FakeOutput.Make()) throws -> PlayerRig {
        var rig = PlayerRig(make, media: RampSource(frames: length)) { $0.endPolicy = policy }
        let reports = rig.reports
        try rig.run.acquire()
        try rig.run.play(for: .seconds(5), stop: { reports.ended > 0 })
        #expect(rig.reports.ended == 1 && rig.room.heard.count == Int(length))
        return rig
    }

    static let cards = [FakeOutput.Make(), FakeOutput.Make(isPlain: false, period: 480, buffer: 5760)]

    @Test("by default it goes back to frame 0, and is played anew", arguments: 0..<2)
    func rewinds(card: Int) throws {
        var rig = try Self.ended(.rewind, Self.cards[card])
        #expect(rig.driver.controls.position == 0)
        #expect(rig.run.release().position == 0)
        rig.room.heard = []
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(100))
        #expect(rig.run.release().position == Int64(rig.room.heard.count) && rig.room.heard.first == 1)
    }

    @Test("it stays, takes no device any more, and says again that it has ended; until a seek", arguments: 0..<2)
    func stays(card: Int) throws {
        var rig = try Self.ended(.stay, Self.cards[card])
        let reports = rig.reports
        #expect(rig.driver.controls.position == Self.length)
        #expect(rig.run.release().position == Self.length)
        for again in 2...3 {
            let acquired = try rig.run.acquire()
            #expect(acquired.notes == ["the media has no more frames"])
            try rig.run.play(for: .seconds(1), stop: { reports.ended == again })
            #expect(rig.reports.ended == again && rig.room.openings == 1)
            #expect(rig.run.release().position == Self.length)
        }
        rig.driver.controls.seek(to: 9_000)
        rig.room.heard = []
        try rig.run.acquire()
        try rig.run.play(for: .seconds(1), stop: { reports.ended == 4 })
        #expect(rig.room.heard.elementsEqual((9_001...10_000).map { Int32($0) }))
        #expect(rig.run.release().position == Self.length)
    }

    @Test("a pause behind the last frame, before its end was told, keeps the same")
    func pausedAtTheEnd() throws {
        for policy in EndPolicy.allCases {
            var rig = PlayerRig(Self.cards[1], media: RampSource(frames: Self.length)) { $0.endPolicy = policy }
            try rig.run.acquire()
            // All of it is written, and not yet heard: the pause lets it out.
            let driver = rig.driver
            try rig.run.play(for: .seconds(1), stop: { driver.phase == .ending })
            #expect(rig.reports.ended == 0)
            let detail = rig.run.release()
            #expect(rig.reports.ended == 1 && rig.room.heard.count == Int(Self.length))
            #expect(detail.position == (policy == .stay ? Self.length : 0))
        }
    }

    @Test("in a loop there is no end to stay at: it goes on from frame 0")
    func looped() throws {
        var rig = try Self.ended(.stay)
        _ = rig.run.release()
        rig.driver.controls.isLooped = true
        rig.room.heard = []
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(500))
        #expect(rig.reports.ended == 1 && rig.room.heard.first == 1 && rig.room.heard.count > Int(Self.length))
        _ = rig.run.release()
    }
}
