import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite("Scripts: fades and volume against a card in memory")
struct FadeTests {
    private static let base: Int64 = 1 << 29

    /// Loud sound whose every frame tells its own number, or, looked at from far, whose every sample is the volume.
    private static func numbered(_ frames: Int64 = 1 << 28) -> RampSource { RampSource(frames: frames, base: base) }

    /// Whether each frame that was heard is the one that was due, as far as its volume lets that be seen.
    private static func isInOrder(_ heard: [Int32]) -> Bool {
        heard.enumerated().allSatisfy { abs(Int64($1) - base - Int64($0)) <= 1 }
    }

    static let cards = RandomWalkTests.makes.map(\.1) + [RandomWalkTests.mixers[0], RandomWalkTests.mixers[2]]

    /// How loud the `index`th of `count` frames of a fade away is; of one back, backwards. Told anew here, by its formula.
    private static func level(_ index: Int64, _ count: Int64) -> Double {
        let x = Double(index + 1) / Double(count + 1)
        return 1 - x * x * (3 - 2 * x)
    }

    @Test(
        "each frame is heard once, those of a fade softly: what a pause says was heard was heard, and nothing again",
        arguments: 0..<9, [5, 20, 50])
    func walk(card: Int, milliseconds: Int) throws {
        var chance = SplitMix64(seed: UInt64(card * 100 + milliseconds))
        var rig = PlayerRig(Self.cards[card], media: Self.numbered()) { $0.fade = .milliseconds(milliseconds) }
        let fade = Int64(48 * milliseconds)
        var begun: Int64 = 0
        var judged = 0
        for cycle in 0..<10 {
            try rig.run.acquire()
            try rig.run.play(
                for: .microseconds(Int64.random(in: 130_000...400_000, using: &chance)),
                late: { .microseconds(Int64.random(in: 0...3000, using: &chance)) })
            let asked = rig.clock.now
            let detail = rig.run.release(late: { .microseconds(Int64.random(in: 0...3000, using: &chance)) })
            #expect(rig.clock.now - asked <= .milliseconds(100 + milliseconds))
            let position = try #require(detail.position)
            #expect(detail.off == 0 && detail.bound == 0)
            #expect(rig.room.open == 0)
            try #require(Int64(rig.room.heard.count) == position, "card \(card), cycle \(cycle)")
            while judged < rig.room.heard.count {
                let frame = Int64(judged)
                var level = 1.0
                if frame >= position - fade { level = Self.level(frame - (position - fade), fade) }
                if begun > 0, frame < begun + fade { level *= 1 - Self.level(frame - begun, fade) }
                let wanted = Double(Self.base + frame) * level
                guard abs(Double(rig.room.heard[judged]) - wanted) <= 0.5001 else {
                    Issue.record(
                        "card \(card), cycle \(cycle): frame \(frame) is \(rig.room.heard[judged]) for \(wanted)")
                    return
                }
                judged += 1
            }
            begun = position
        }
        #expect(rig.driver.counts.underruns == 0)
    }

    @Test("without a fade nothing is softer; a hurried pause does not wait for one", arguments: [0, 50])
    func none(milliseconds: Int) throws {
        var rig = PlayerRig(FakeOutput.Make(), media: Self.numbered()) { $0.fade = .milliseconds(milliseconds) }
        for _ in 0..<5 {
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(300))
            let asked = rig.clock.now
            let detail = rig.run.release(hurried: true)
            #expect(detail.mode == .fast)
            #expect(rig.clock.now == asked)
            if milliseconds == 0 { #expect(Self.isInOrder(rig.room.heard)) }
            #expect(Int64(rig.room.heard.count) == detail.position)
        }
    }

    @Test("a hurried pause through plug-ins is exact, and does not wait for a fade either", arguments: [4, 5, 7])
    func hurried(card: Int) throws {
        var rig = PlayerRig(Self.cards[card], media: Self.numbered()) { $0.fade = .milliseconds(50) }
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(300))
        let detail = rig.run.release(hurried: true)
        #expect(detail.mode == .exact)
        #expect(Self.isInOrder(rig.room.heard))
        #expect(Int64(rig.room.heard.count) == detail.position)
    }

    @Test("a ring that is shorter than the fade takes it in turns", arguments: [960, 1440])
    func shortRing(buffer: Int) throws {
        var rig = PlayerRig(
            FakeOutput.Make(period: buffer / 4, buffer: buffer, guardFrames: 48), media: Self.numbered()
        ) {
            $0.fade = .milliseconds(50)
            $0.bufferTime = .milliseconds(20)
        }
        for _ in 0..<10 {
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(170))
            let detail = rig.run.release()
            #expect(Int64(rig.room.heard.count) == detail.position)
            #expect(detail.off == 0)
            // To its very end, not cut somewhere.
            #expect((rig.room.heard.last ?? 0) <= 300)
        }
    }

    @Test("the end of the media in a fade is the end")
    func atTheEnd() throws {
        for before in stride(from: 0, through: 100, by: 5) {
            var rig = PlayerRig(FakeOutput.Make(), media: Self.numbered(48_000)) { $0.fade = .milliseconds(50) }
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(1000 - before), stop: { rig.reports.ended > 0 })
            let detail = rig.run.release()
            let heard = Int64(rig.room.heard.count)
            #expect(detail.off == 0)
            #expect(detail.position == (heard == 48_000 ? 0 : heard), "\(before) ms before the end")
            #expect(rig.reports.ended == (heard == 48_000 ? 1 : 0))
        }
    }

    @Test("a loop that is wished for when the end is in the ring already is too late for a fade")
    func loopAtTheEnd() throws {
        for before in 0...60 {
            var rig = PlayerRig(FakeOutput.Make(), media: Self.numbered(4800)) {
                $0.fade = .milliseconds(50)
                $0.isLooped = true
            }
            try rig.run.acquire()
            try rig.run.play(for: .milliseconds(320))
            // It has been read on over the border already.
            #expect(rig.driver.media.ready(9600, looped: true) == 9600)
            rig.driver.controls.isLooped = false
            try rig.run.play(for: .milliseconds(80 - before), stop: { rig.reports.ended > 0 })
            rig.driver.controls.isLooped = true
            let detail = rig.run.release()
            #expect(Int64(rig.room.heard.count) % 4800 == (detail.position ?? -1) % 4800, "\(before) ms before the end")
            #expect(detail.off == 0)
        }
    }

    @Test("A-24: in a loop a fade goes over its border like any sound")
    func overTheBorder() throws {
        var chance = SplitMix64(seed: 24)
        var rig = PlayerRig(FakeOutput.Make(), media: Self.numbered(1537)) {
            $0.fade = .milliseconds(50)
            $0.isLooped = true
        }
        for _ in 0..<40 {
            try rig.run.acquire()
            try rig.run.play(for: .microseconds(Int64.random(in: 1...200_000, using: &chance)))
            let detail = rig.run.release()
            #expect(Int64(rig.room.heard.count) % 1537 == (detail.position ?? 0) % 1537)
            #expect(detail.off == 0)
        }
    }

    @Test(
        "a new volume is heard soon, on a ring of 2 s too, without a step, and without a frame more or less",
        arguments: 0..<9)
    func volume(card: Int) throws {
        var chance = SplitMix64(seed: UInt64(card))
        var rig = PlayerRig(Self.cards[card], media: Self.numbered()) { $0.bufferTime = .seconds(2) }
        try rig.run.acquire()
        var before = 1.0
        for _ in 0..<8 {
            try rig.run.play(for: .microseconds(Int64.random(in: 200_000...500_000, using: &chance)))
            let wanted =
                before > 0.5 ? .random(in: 0.1...0.4, using: &chance) : Double.random(in: 0.6...1, using: &chance)
            let asked = rig.room.heard.count
            rig.driver.controls.volume = wanted
            try rig.run.play(for: .milliseconds(250))
            let levels = rig.room.heard[asked...].map { Double($0) / Double(Self.base) }
            #expect(abs((levels.last ?? 0) - wanted) < 0.01)
            let changed = levels.firstIndex { abs($0 - before) > 0.01 } ?? levels.count
            #expect(changed <= 48 * 170, "card \(card): heard after \(changed / 48) ms")
            before = wanted
        }
        let levels = rig.room.heard.map { Double($0) / Double(Self.base) }
        for (one, next) in zip(levels, levels.dropFirst()) where abs(next - one) > 1.5 / 960 * 1.01 {
            Issue.record("card \(card): a step from \(one) to \(next)")
            break
        }
        let detail = rig.run.release()
        #expect(detail.position == Int64(rig.room.heard.count))
        #expect(rig.driver.counts.underruns == 0)
    }

    @Test("a ring that is all but played when a volume is to be heard: nothing is taken back of it", arguments: 1...8)
    func tooLateForVolume(call: Int) throws {
        var rig = PlayerRig(FakeOutput.Make(period: 24_000, buffer: 96_000), media: Self.numbered()) {
            $0.bufferTime = .seconds(2)
        }
        let room = rig.room
        try rig.run.acquire()
        try rig.run.play(for: .milliseconds(700))
        // At such a volume each frame still is its own number.
        rig.driver.controls.volume = 0.999_999_999_9
        var calls = 0
        room.slowness = {
            calls += 1
            guard calls == call, let written = room.last?.written else { return .zero }
            return .nanoseconds((written - Int64(room.heard.count) - 300) * 1_000_000_000 / 48_000)
        }
        try rig.run.play(for: .seconds(3))
        #expect(calls >= call)
        #expect(room.rewinds.allSatisfy { $0 > 0 })
        let detail = rig.run.release()
        #expect(Self.isInOrder(room.heard))
        #expect(Int64(room.heard.count) == detail.position && detail.off == 0)
    }

    @Test("a long rest of a ring is not kept waiting for by what comes before it: a ramp is a piece by itself")
    func pieces() throws {
        let feed = MediaFeed(Self.numbered())
        var gain = GainEnvelope()
        gain.aim(0.5, at: 1000, over: 960)
        var block = SampleBlock(source: .s32, target: .s32, channels: 1, capacity: 20_000)
        try feed.seek(to: 500)
        var at: Int64 = 500
        // Of the 10,000 that are read the rest then comes in one.
        for wanted in [1460, 8540] {
            _ = try block.fill(10_000, from: feed, looped: false, gain, at: at)
            #expect(block.count == wanted)
            let first = block.samples.loadUnaligned(as: Int32.self)
            #expect(Double(first) == (Double(Self.base + at) * gain.level(at)).rounded())
            block.take(wanted)
            feed.take(wanted)
            at += Int64(wanted)
        }
    }

    @Test("a duck is a factor, and goes and comes as softly")
    func duck() throws {
        var rig = PlayerRig(FakeOutput.Make(), media: Self.numbered()) { $0.volume = 0.5 }
        try rig.run.acquire()
        for (duck, level) in [(0.2, 0.1), (1, 0.5)] {
            try rig.run.play(for: .milliseconds(300))
            rig.driver.controls.duck = duck
            try rig.run.play(for: .milliseconds(300))
            #expect(abs(Double(rig.room.heard.last ?? 0) / Double(Self.base) - level) < 0.001)
        }
        _ = rig.run.release()
    }

    @Test(
        "a machine that stands still while a volume is changed on a long ring loses and repeats nothing that is not told",
        arguments: 1...8 as ClosedRange<UInt64>)
    func stalled(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        var rig = PlayerRig(FakeOutput.Make(period: 24_000, buffer: 96_000), media: Self.numbered()) {
            $0.bufferTime = .seconds(2)
        }
        rig.room.slowness = {
            Int.random(in: 0..<20, using: &chance) == 0 ? .milliseconds(Int.random(in: 1...60, using: &chance)) : .zero
        }
        var times = SplitMix64(seed: seed &+ 1)
        var off: Int64 = 0
        for cycle in 0..<30 {
            try rig.run.acquire()
            for _ in 0..<4 {
                try rig.run.play(for: .microseconds(Int64.random(in: 1...400_000, using: &times)))
                rig.driver.controls.volume = Bool.random(using: &times) ? 1 : 0.999_999_999_9
            }
            let detail = rig.run.release()
            off += detail.off ?? 0
            let (heard, position) = (Int64(rig.room.heard.count), detail.position ?? -1)
            #expect(abs(heard - position) <= off, "cycle \(cycle)")
            // At such a volume each frame still is its own number.
            if off == 0 { #expect(Self.isInOrder(rig.room.heard), "cycle \(cycle)") }
            if heard != position { return }
        }
    }
}
