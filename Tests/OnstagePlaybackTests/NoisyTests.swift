import OnstageCore
import Testing

@testable import OnstagePlayback

/// Plugs that are pulled, on a card in memory: who is told, and when anything is looked at.
@Suite("script: becoming noisy") struct NoisyTests {
    /// A card's jacks: what they have to say is put there by the test.
    private final class FakeJacks: JackWatch {
        var news: [Result<Bool, DeviceError>] = []
        var closes = 0

        func prepare(_ wait: inout WaitSet) {}
        func isReady(_ wait: borrowing WaitSet) -> Bool { !news.isEmpty }
        func takeNews() throws(DeviceError) -> Bool { try news.removeFirst().get() }
        func close() { closes += 1 }
    }

    private final class Card {
        var jacks: [FakeJacks] = []
        var refusal: DeviceError?
        var reports: Reports?
        /// Sound had begun, at each look.
        var begun: [Bool] = []
    }

    private let card = Card()

    private func rig(_ make: FakeOutput.Make = FakeOutput.Make(), isAsked: Bool = true) -> PlayerRig {
        nonisolated(unsafe) let card = card  // one thread runs a test
        var make = make
        make.jacks = { () throws(DeviceError) in
            card.begun.append(card.reports?.all.contains { if case .first = $0 { true } else { false } } == true)
            if let refusal = card.refusal { throw refusal }
            let made = FakeJacks()
            card.jacks.append(made)
            return made
        }
        let rig = PlayerRig(make) { $0.pausesWhenNoisy = isAsked }
        card.reports = rig.reports
        return rig
    }

    private func noises(_ rig: PlayerRig) -> Int {
        rig.reports.all.count { if case .becameNoisy = $0 { true } else { false } }
    }

    @Test(arguments: [true, false]) func aPulledPlugIsTold(isPlain: Bool) throws {
        var make = FakeOutput.Make()
        make.isPlain = isPlain
        var rig = rig(make)
        for round in 1...3 {
            try rig.run.acquire()
            #expect(card.jacks.count == round - 1, "the start has waited for it")
            try rig.run.play(for: .milliseconds(500))
            #expect(card.jacks.count == round && card.begun.allSatisfy(\.self))
            let jacks = try #require(card.jacks.last)
            jacks.news = [.success(false)]
            try rig.run.play(for: .milliseconds(200))
            #expect(noises(rig) == round - 1, "nothing was pulled")
            jacks.news = [.success(true)]
            // A turn: steady play does not go on over it.
            try rig.run.play(for: .milliseconds(40))
            #expect(noises(rig) == round)
            #expect(jacks.closes == 0)
            let detail = rig.run.release()
            #expect(jacks.closes == 1 && card.jacks.allSatisfy { $0.closes == 1 })
            #expect(detail.off == 0 && detail.position == Int64(rig.room.heard.count))
            #expect(rig.room.firstFault() == nil)
        }
    }

    @Test func withoutTheOptionNothingIsOpened() throws {
        var rig = rig(isAsked: false)
        try rig.run.acquire()
        try rig.run.play(for: .seconds(1))
        _ = rig.run.release()
        #expect(card.begun.isEmpty)
    }

    /// A card whose control may not be opened is played on all the same, and that is said once.
    @Test func whatCannotBeWatchedIsSaidOnce() throws {
        card.refusal = DeviceError(.permission, operation: "snd_ctl_open_lconf", device: "fake")
        var rig = rig()
        try rig.run.acquire()
        try rig.run.play(for: .seconds(1))
        _ = rig.run.release()
        #expect(card.begun.count == 1)
        #expect(
            rig.reports.all.count { if case .note(let text) = $0 { text.contains("snd_ctl_open") } else { false } } == 1
        )
        #expect(rig.room.firstFault() == nil)
    }

    /// Its end is no pulled plug: of a card that is gone its sound tells.
    @Test(arguments: [DeviceError.Kind.absent, .inputOutput]) func jacksThatFailAreLeft(_ kind: DeviceError.Kind) throws
    {
        var rig = rig()
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(500))
        card.jacks.last?.news = [.failure(DeviceError(kind, operation: "snd_ctl_read", device: "fake"))]
        try rig.run.play(for: .milliseconds(500))
        #expect(card.jacks.map(\.closes) == [1] && noises(rig) == 0)
        #expect(rig.reports.all.contains { if case .note = $0 { true } else { false } } == (kind != .absent))
        _ = rig.run.release()
        #expect(rig.room.firstFault() == nil)
    }

    @Test(
        arguments: [
            ("Headphone Jack", true), ("Front Headphone Jack", true), ("Headphone Mic Jack", true),
            ("Headset Jack", true), ("Headset Mic Jack", false), ("Line Out Jack", true), ("Line Out Front Jack", true),
            ("HDMI/DP,pcm=3 Jack", true), ("HDMI/DP,pcm=7 Jack", false), ("HDMI/DP,pcm=33 Jack", false),
            ("Mic Jack", false), ("Line Jack", false), ("Headphone Phantom Jack", false),
            ("Headphone Playback Switch", false), ("Headphone", false), (" Jack", false), ("", false),
        ])
    func jacksByName(_ name: String, isHeard: Bool) {
        #expect(JackName.isHeard(name, device: 3) == isHeard)
    }

    @Test func onlyAPlugThatWasInIsPulled() {
        var states = JackStates()
        let steps: [(UInt32, Bool, Bool)] = [
            (1, false, false), (1, true, false), (1, true, false), (1, false, true), (1, false, false),
            (2, true, false), (1, true, false), (2, false, true), (1, false, true),
        ]
        for (number, isIn, isPulled) in steps {
            let found = states.take(number, isIn: isIn)
            #expect(found == isPulled)
        }
        _ = states.take(2, isIn: true)
        states.forget(2)
        let isPulled = states.take(2, isIn: false)
        #expect(!isPulled, "the jack itself went")
    }
}
