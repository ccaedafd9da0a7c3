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
}
