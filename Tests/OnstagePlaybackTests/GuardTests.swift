import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

/// What a card in memory shows of what lies behind its pointer.
@Suite("script: a guard that is learned") struct GuardTests {
    private static func key(_ driver: String = #function, rate: Int = 48_000) -> GuardKey {
        GuardKey(driver: driver, card: "Fake", rate: rate)
    }

    private func format(_ acquired: Acquired) -> [String: FormatValue] {
        Dictionary(acquired.format.map { ($0.name, $0.value) }) { first, _ in first }
    }

    private func notes(_ rig: PlayerRig) -> [String] {
        rig.reports.all.compactMap { if case .note(let text) = $0, text.contains("guard") { text } else { nil } }
    }

    /// Pauses at random times.
    private func walk(_ rig: inout PlayerRig, cycles: Int = 30) throws -> (lost: Int, repeated: Int) {
        var chance = SplitMix64(seed: 5)
        for _ in 0..<cycles {
            try rig.run.acquire()
            try rig.run.play(for: .microseconds(Int64.random(in: 1000...500_000, using: &chance)))
            _ = rig.run.release()
        }
        return rig.faults
    }

    /// A card that has fetched 700 frames more than it has played, and does not tell.
    @Test func aPointerThatIsAheadOfTimeRaisesIt() throws {
        let make = FakeOutput.Make(guardFrames: 240, guardKey: Self.key(), queue: 700)
        var rig = PlayerRig(make)
        #expect(format(try rig.run.acquire())["guardFrom"] == .text("default"))
        try rig.run.play(for: .milliseconds(250))
        _ = rig.run.release()
        #expect(notes(rig).count == 1 && rig.faults == (0, 0), "already at the first pause")
        let again = format(try rig.run.acquire())
        #expect(again["guardFrom"] == .text("learned") && again["pointerLeadFrames"] != nil)
        guard case .integer(700...750)? = again["guardFrames"] else {
            Issue.record("\(again)")
            return
        }
        _ = rig.run.release()
        #expect(try walk(&rig) == (0, 0))
        // Another player of this process knows it from the beginning.
        let other = PlayerRig(make)
        var run = other.run
        #expect(format(try run.acquire())["guardFrom"] == .text("learned"))
        _ = run.release()
    }

    /// Without it frames of that card are lost, so that the test above tells something; and a profile's word stands.
    @Test func aProfilesGuardStands() throws {
        let make = FakeOutput.Make(guardFrames: 240, guardKey: Self.key(), guardOrigin: .profile, queue: 700)
        var rig = PlayerRig(make)
        #expect(try walk(&rig).lost > 0)
        let acquired = format(try rig.run.acquire())
        #expect(acquired["guardFrom"] == .text("profile") && acquired["guardFrames"] == .integer(240))
        #expect(notes(rig).isEmpty)
        _ = rig.run.release()
    }

    /// A pointer that is on time, one that tells what is under way, and one that is late: nothing is to be learned of them. Nor
    /// of a card that holds sound back while its pointer keeps pace with the clock: nobody can tell that from here.
    @Test(
        arguments: [
            FakeOutput.Make(guardFrames: 240), FakeOutput.Make(guardFrames: 240, grain: 192, isPointerLate: true),
            FakeOutput.Make(isBatch: true, guardFrames: 1440, grain: 288, behind: 240, queue: 960),
            FakeOutput.Make(isBatch: true, guardFrames: 1440, behind: 240, queue: 960, rounding: -47),
            FakeOutput.Make(isBatch: true, guardFrames: 1440, grain: 288, behind: 1200),
        ]) func nothingIsLearnedOfAnHonestCard(_ make: FakeOutput.Make) throws
    {
        var make = make
        make.guardKey = Self.key("\(make.grain) \(make.queue) \(make.behind) \(make.rounding)")
        var rig = PlayerRig(make)
        #expect(try walk(&rig) == (0, 0))
        let acquired = format(try rig.run.acquire())
        #expect(acquired["guardFrom"] == .text("default"))
        #expect(acquired["guardFrames"] == .integer(Int64(make.guardFrames)))
        #expect(notes(rig).isEmpty)
        _ = rig.run.release()
    }

    /// Nor of a crystal that is worse than any is, as far as a short stream can show it.
    @Test func aFastCrystalIsNoLead() throws {
        var rig = PlayerRig(FakeOutput.Make(guardFrames: 240, guardKey: Self.key(), fastness: 8))
        for milliseconds in [1900, 1900, 290, 290, 250, 250] {
            #expect(format(try rig.run.acquire())["guardFrom"] == .text("default"))
            try rig.run.play(for: .milliseconds(milliseconds))
            _ = rig.run.release()
        }
        #expect(notes(rig).isEmpty)
    }

    /// Drivers tell a wrong pointer now and then; one of them teaches nothing.
    @Test func oneWrongPointerTeachesNothing() throws {
        var rig = PlayerRig(FakeOutput.Make(guardFrames: 240, guardKey: Self.key()))
        for _ in 0..<3 {
            try rig.run.acquire()
            rig.room.faults = [.ahead(3000)]
            try rig.run.play(for: .milliseconds(200))
            #expect(rig.room.faults.isEmpty, "it was looked at")
            _ = rig.run.release()
            // So many looks later it is forgotten.
            for _ in 0..<8 {
                try rig.run.acquire()
                try rig.run.play(for: .milliseconds(100))
                _ = rig.run.release()
            }
        }
        #expect(format(try rig.run.acquire())["guardFrom"] == .text("default"))
        #expect(notes(rig).isEmpty)
        _ = rig.run.release()
    }

    @Test func itIsOnlyEverRaised() {
        let table = GuardTable()
        var facts = OutputFacts(
            name: "", format: .s16, rate: 48_000, channels: 2, periodFrames: 480, bufferFrames: 1920, isPlain: true,
            isBatch: false, guardFrames: 240)
        facts.guardKey = Self.key()
        func taken(_ origin: GuardOrigin = .usual) -> OutputFacts {
            var it = facts
            it.guardOrigin = origin
            it.takeLearned(table)
            return it
        }
        #expect(taken().guardFrames == 240 && taken().guardOrigin == .usual)
        let key = Self.key()
        func note(_ lead: Int) { for _ in 0..<2 { table.note(lead, key) } }
        note(100)
        #expect(taken().guardFrames == 240 && taken().guardOrigin == .usual)
        table.note(5000, Self.key())
        #expect(taken().guardFrames == 240, "of one look nothing is believed")
        note(600)
        note(300)
        #expect(taken().guardFrames == 648 && taken().guardOrigin == .learned)
        #expect(taken(.profile).guardFrames == 240 && taken(.profile).guardOrigin == .profile)
        note(1_000_000)
        #expect(taken().guardFrames == 9600, "no more than a profile may say")
        facts.guardKey?.rate = 44_100
        #expect(taken().guardFrames == 240, "of another rate nothing is known")
    }
}
