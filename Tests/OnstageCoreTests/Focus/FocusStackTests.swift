import OnstageTestSupport
import Testing

@testable import OnstageCore

/// Who is told what, case by case as Media3's players and Android's focus stack have it.
@Suite("tables: focus stack") struct FocusStackTests {
    private enum Step: Sendable {
        case asks(UInt64, AudioFocus)
        case goes(UInt64)
    }

    private struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Each step, and what it leads to.
        let steps: [(Step, [FocusStack.Change])]

        init(_ name: String, _ steps: [(Step, [FocusStack.Change])]) {
            testDescription = name
            self.steps = steps
        }
    }

    private static func told(_ id: UInt64, _ change: FocusChange) -> FocusStack.Change {
        FocusStack.Change(FocusStack.ID(id), change)
    }

    private static let music = AudioFocus(.gain)
    private static let speech = AudioFocus(.gain, isSpeech: true)
    private static let alarm = AudioFocus(.transient)
    private static let announcement = AudioFocus(.transientMayDuck)
    private static let memo = AudioFocus(.transientExclusive)

    private static let rows = [
        Row(
            "the first has the sound, and asking again is nothing",
            [
                (.asks(1, music), [told(1, .gained)]),
                (.asks(1, music), []),
                (.goes(1), []),
                (.goes(1), []),
                (.asks(1, music), [told(1, .gained)]),
            ]),
        Row(
            "a gain is a loss for good to all others, also to those that were paused already",
            [
                (.asks(1, music), [told(1, .gained)]),
                (.asks(2, alarm), [told(1, .lostTransiently), told(2, .gained)]),
                (.asks(3, music), [told(2, .lost), told(1, .lost), told(3, .gained)]),
                (.goes(3), []),
                (.asks(1, music), [told(1, .gained)]),
            ]),
        Row(
            "a transient one pauses, and what was paused goes on",
            [
                (.asks(1, music), [told(1, .gained)]),
                (.asks(2, alarm), [told(1, .lostTransiently), told(2, .gained)]),
                (.goes(2), [told(1, .gained)]),
            ]),
        Row(
            "one that may duck ducks music, and pauses speech",
            [
                (.asks(1, music), [told(1, .gained)]),
                (.asks(2, announcement), [told(1, .ducked), told(2, .gained)]),
                (.goes(2), [told(1, .gained)]),
                (.asks(3, speech), [told(1, .lost), told(3, .gained)]),
                (.asks(2, announcement), [told(3, .lostTransiently), told(2, .gained)]),
                (.goes(2), [told(3, .gained)]),
            ]),
        Row(
            "an exclusive one is never ducked",
            [
                (.asks(1, memo), [told(1, .gained)]),
                (.asks(2, announcement), [told(1, .lostTransiently), told(2, .gained)]),
                (.goes(2), [told(1, .gained)]),
                (.asks(2, AudioFocus(.transient)), [told(1, .lostTransiently), told(2, .gained)]),
            ]),
        Row(
            "a stronger loss replaces a weaker one, and never the other way while it is asked for",
            [
                (.asks(1, music), [told(1, .gained)]),
                (.asks(2, announcement), [told(1, .ducked), told(2, .gained)]),
                (.asks(3, alarm), [told(2, .lostTransiently), told(1, .lostTransiently), told(3, .gained)]),
                (.asks(4, announcement), [told(3, .ducked), told(4, .gained)]),
                (.goes(4), [told(3, .gained)]),
                // Beneath the announcement, which has the sound again.
                (.goes(3), [told(2, .gained), told(1, .ducked)]),
                (.goes(2), [told(1, .gained)]),
            ]),
        Row(
            "one that goes from the middle takes its wish with it, and one from the bottom nothing",
            [
                (.asks(1, music), [told(1, .gained)]),
                (.asks(2, alarm), [told(1, .lostTransiently), told(2, .gained)]),
                (.asks(3, announcement), [told(2, .ducked), told(3, .gained)]),
                (.goes(2), [told(1, .ducked)]),
                (.asks(2, alarm), [told(3, .lostTransiently), told(1, .lostTransiently), told(2, .gained)]),
                (.goes(1), []),
                (.goes(2), [told(3, .gained)]),
            ]),
        Row(
            "who asks from beneath is on top afterwards",
            [
                (.asks(1, music), [told(1, .gained)]),
                (.asks(2, alarm), [told(1, .lostTransiently), told(2, .gained)]),
                (.asks(1, music), [told(2, .lost), told(1, .gained)]),
                (.asks(2, alarm), [told(1, .lostTransiently), told(2, .gained)]),
                (.asks(3, alarm), [told(2, .lostTransiently), told(3, .gained)]),
                (.asks(2, alarm), [told(3, .lostTransiently), told(2, .gained)]),
                (.goes(2), [told(3, .gained)]),
            ]),
        Row(
            "the top may ask for another kind",
            [
                (.asks(1, music), [told(1, .gained)]),
                (.asks(2, announcement), [told(1, .ducked), told(2, .gained)]),
                (.asks(2, alarm), [told(1, .lostTransiently)]),
                (.asks(2, announcement), [told(1, .ducked)]),
                (.asks(2, music), [told(1, .lost)]),
            ]),
    ]

    @Test(arguments: rows) private func whoIsToldWhat(_ row: Row) {
        var stack = FocusStack()
        for (number, (step, expected)) in row.steps.enumerated() {
            let changes =
                switch step {
                case .asks(let id, let focus): stack.request(FocusStack.ID(id), focus)
                case .goes(let id): stack.abandon(FocusStack.ID(id))
                }
            #expect(changes == expected, "step \(number + 1)")
        }
    }

    // MARK: A walk

    /// A stack, and what those who asked have been told.
    private struct World {
        var stack = FocusStack()
        var told: [FocusStack.ID: FocusChange] = [:]
        var focus: [FocusStack.ID: AudioFocus] = [:]

        mutating func take(_ changes: [FocusStack.Change]) throws {
            var seen: Set<FocusStack.ID> = []
            for change in changes {
                let isNew = seen.insert(change.id).inserted
                try #require(isNew, "told twice of one step")
                try #require(told[change.id] != change.change, "told what it knows")
                told[change.id] = change.change == .lost ? nil : change.change
            }
        }

        func check(_ place: Comment) throws {
            let ids = stack.ids
            try #require(Set(ids) == Set(told.keys), place)
            try #require(ids.filter { told[$0] == .gained } == ids.suffix(1), place)
            for (index, id) in ids.enumerated() {
                let above = ids[(index + 1)...].compactMap { focus[$0] }
                // Nobody is heard who is beneath one that will not be heard with others.
                let pauses = above.contains { $0.gain != .transientMayDuck }
                let ducks = !above.isEmpty
                let expected: FocusChange =
                    pauses
                    ? .lostTransiently
                    : !ducks
                        ? .gained
                        : focus[id]?.isSpeech == true || focus[id]?.gain == .transientExclusive
                            ? .lostTransiently : .ducked
                try #require(told[id] == expected, place)
                if index > 0 {
                    try #require(focus[id]?.gain != .gain, "one that asked for good has somebody beneath it")
                }
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func whatAlwaysHolds(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        var world = World()
        for step in 0..<5_000 {
            let id = FocusStack.ID(UInt64.random(in: 0..<6, using: &chance))
            if Int.random(in: 0..<5, using: &chance) < 3 {
                // Rarely for good, or no stack would grow.
                let gain: AudioFocus.Gain =
                    Int.random(in: 0..<8, using: &chance) == 0
                    ? .gain
                    : [.transient, .transientMayDuck, .transientExclusive].randomElement(using: &chance) ?? .gain
                let focus = AudioFocus(gain, isSpeech: Bool.random(using: &chance))
                world.focus[id] = focus
                try world.take(world.stack.request(id, focus))
                #expect(world.stack.ids.last == id)
            } else {
                let changes = world.stack.abandon(id)
                #expect(!changes.contains { $0.id == id || $0.change == .lost })
                world.told[id] = nil
                try world.take(changes)
            }
            try world.check("seed \(seed), step \(step)")
            guard step % 50 == 49, let last = world.stack.ids.randomElement(using: &chance) else { continue }
            // All others go: it has the sound.
            for other in world.stack.ids.shuffled(using: &chance) where other != last {
                world.told[other] = nil
                try world.take(world.stack.abandon(other))
            }
            #expect(world.told == [last: .gained])
        }
    }
}
