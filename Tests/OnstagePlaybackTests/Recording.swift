import OnstageCore
import OnstageLinux

@testable import OnstagePlayback

/// What the far side recorded: whole numbers, frame by frame, without the silence at both ends.
struct Recording {
    let channels: Int
    /// Interleaved.
    let samples: [Int]

    init(_ bytes: [UInt8], _ format: SampleFormat, channels: Int) {
        self.channels = channels
        let width = format.bytes
        var all = stride(from: 0, to: bytes.count / (width * channels) * width * channels, by: width).map { place in
            let value = (0..<width).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
            let bits = format == .s24 ? 24 : width * 8
            return (value << (Int.bitWidth - bits)) >> (Int.bitWidth - bits)
        }
        func isSilent(_ frame: Int) -> Bool { all[frame * channels..<(frame + 1) * channels].allSatisfy { $0 == 0 } }
        var (first, end) = (0, all.count / channels)
        while first < end, isSilent(first) { first += 1 }
        while end > first, isSilent(end - 1) { end -= 1 }
        all = Array(all[first * channels..<end * channels])
        samples = all
    }

    var frames: Int { samples.count / channels }

    /// The furthest from `wanted` that any sample is; nil where there are others than as many.
    func worst(_ wanted: [Int]) -> Int? {
        guard samples.count == wanted.count else { return nil }
        return zip(samples, wanted).map { abs($0 - $1) }.max() ?? 0
    }
}

/// Plays `media` on `pcm` as a device's thread does, to its end.
struct PlayedOut {
    let acquired: Acquired
    let detail: ReleaseDetail
    let driver: PlaybackDriver
    /// From the first sound to the end that was told.
    let lasted: Duration

    init(_ pcm: String, _ media: any MediaSource, within limit: Duration = .seconds(60)) throws {
        let reports = Reports()
        driver = PlaybackDriver(
            configuration: PlaybackConfiguration(output: .pcm(pcm)), media: media, report: reports.add)
        var run = DriverRun(driver)
        acquired = try run.acquire()
        let begun = MonotonicTime.now
        try run.play(for: limit, stop: { reports.ended > 0 })
        lasted = .now - begun
        detail = run.release()
    }

    func format(_ name: String) -> FormatValue? {
        acquired.format.first { $0.name == name }?.value
    }
}
