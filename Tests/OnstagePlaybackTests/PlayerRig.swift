import OnstageCore

@testable import OnstagePlayback

/// A player on a card in memory, and what there is to look at.
struct PlayerRig {
    let clock = StillClock()
    let room = FakeOutput.Room()
    let reports = Reports()
    let driver: PlaybackDriver
    var run: DriverRun

    init(
        _ make: FakeOutput.Make = FakeOutput.Make(), media: any MediaSource = RampSource(frames: 1_000_000),
        _ change: (inout PlaybackConfiguration) -> Void = { _ in }
    ) {
        var configuration = PlaybackConfiguration()
        change(&configuration)
        driver = PlaybackDriver(
            configuration: configuration, media: media, clock: clock,
            backend: FakeOutput.backend(make, clock, room), report: reports.add)
        run = DriverRun(driver, still: clock)
    }

    /// By how many frames it went back (−), or left some out (+), wherever a frame did not follow its forerunner.
    var jumps: [Int] {
        var (jumps, next): ([Int], Int32) = ([], 1)
        for frame in room.heard {
            if frame != next { jumps.append(Int(frame - next)) }
            next = frame + 1
        }
        return jumps
    }

    /// Frames that were never heard, and that were heard again.
    var faults: (lost: Int, repeated: Int) {
        let jumps = jumps
        return (jumps.reduce(0) { $0 + max(0, $1) }, jumps.reduce(0) { $0 + max(0, -$1) })
    }

    /// The frame after the last one heard.
    var next: Int64 { Int64(room.heard.last ?? 0) }
}
