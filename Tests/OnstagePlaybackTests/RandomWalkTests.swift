import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite("Scripts: pause and resume against a card in memory")
struct RandomWalkTests {
    /// Cards of every kind that the bench has met.
    static let makes: [(String, FakeOutput.Make)] = [
        ("hw", FakeOutput.Make()),
        ("hw, pointer in steps of 4 ms", FakeOutput.Make(grain: 192)),
        ("hw, 2 s ring", FakeOutput.Make(period: 24_000, buffer: 96_000)),
        ("hw, FIFO of 3 ms", FakeOutput.Make(behind: 144)),
        ("dmix", FakeOutput.Make(isPlain: false, period: 1024, buffer: 8192, grain: 192)),
        ("plug", FakeOutput.Make(isPlain: false, period: 480, buffer: 5760)),
        ("usb", FakeOutput.Make(isBatch: true, guardFrames: 1440, grain: 288, behind: 1200)),
        ("usb, transfers told", FakeOutput.Make(isBatch: true, guardFrames: 1440, grain: 288, behind: 240, queue: 960)),
        (
            "batch, period by period",
            FakeOutput.Make(isBatch: true, guardFrames: 1200, grain: 1200, isPointerLate: true)
        ),
    ]

    @Test("random plays, pauses and late wake-ups: 0 lost, 0 repeated", arguments: 0..<9, [1, 2, 3, 4] as [UInt64])
    func walk(card: Int, seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        let clock = StillClock()
        let room = FakeOutput.Room()
        let reports = Reports()
        let (name, make) = Self.makes[card]
        let length: Int64 = 300_000
        let media = RampSource(frames: length)
        let driver = PlaybackDriver(
            configuration: PlaybackConfiguration(), media: media, clock: clock,
            backend: FakeOutput.backend(make, clock, room), report: reports.add)
        var run = DriverRun(driver, still: clock)
        var position: Int64 = 0
        var worst = Duration.zero
        for cycle in 0..<60 {
            if reports.ended > 0 { break }
            #expect(driver.controls.position == position)
            try run.acquire()
            let time = Duration.microseconds(Int64.random(in: 1...200_000, using: &chance))
            try run.play(for: time, late: { .microseconds(Int64.random(in: 0...3000, using: &chance)) })
            let asked = clock.now
            let detail = run.release(late: { .microseconds(Int64.random(in: 0...3000, using: &chance)) })
            worst = max(worst, clock.now - asked)
            #expect(detail.mode == .exact)
            #expect(detail.bound == 0)
            #expect(detail.off == 0)
            position = detail.position ?? -1
            #expect(room.open == 0)
            let fault = room.firstFault()
            #expect(fault == nil, "\(name), cycle \(cycle)")
            if reports.ended == 0 { #expect(Int64(room.heard.count) == position) }
            // It does not move while paused (L-01).
            clock.advance(by: .milliseconds(500))
            #expect(driver.controls.position == position)
            if fault != nil { return }
        }
        #expect(driver.counts.delivered == UInt64(room.heard.count))
        #expect(driver.counts.underruns == 0)
        #expect(worst <= .milliseconds(100), "\(name): \(worst)")
    }

    static let mixers = [
        FakeOutput.Make(isPlain: false, period: 1024, buffer: 8192, mixer: 0),
        FakeOutput.Make(isPlain: false, period: 1024, buffer: 8192, grain: 192, mixer: 0),
        FakeOutput.Make(isPlain: false, period: 480, buffer: 5760, mixer: 400),
    ]

    @Test(
        "a mixer, and a machine that stands still at any call: 0 lost, 0 repeated", arguments: 0..<3,
        1...8 as ClosedRange<UInt64>)
    func stalledMixer(card: Int, seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        let clock = StillClock()
        let room = FakeOutput.Room()
        let reports = Reports()
        let driver = PlaybackDriver(
            configuration: PlaybackConfiguration(), media: RampSource(frames: 1 << 40), clock: clock,
            backend: FakeOutput.backend(Self.mixers[card], clock, room), report: reports.add)
        var run = DriverRun(driver, still: clock)
        room.slowness = {
            Int.random(in: 0..<100, using: &chance) == 0
                ? .milliseconds(Int.random(in: 1...100, using: &chance)) : .zero
        }
        var times = SplitMix64(seed: seed &+ 100)
        for cycle in 0..<60 {
            try run.acquire()
            try run.play(for: .microseconds(Int64.random(in: 1...200_000, using: &times)))
            let detail = run.release()
            #expect(detail.off == 0)
            let fault = room.firstFault()
            #expect(fault == nil, "cycle \(cycle)")
            #expect(Int64(room.heard.count) == detail.position, "cycle \(cycle)")
            if fault != nil || Int64(room.heard.count) != detail.position { return }
        }
        #expect(driver.counts.underruns > 0)
    }
}
