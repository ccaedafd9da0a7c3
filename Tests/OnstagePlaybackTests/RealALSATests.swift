import CALSA
import Glibc
import OnstageCore
import OnstageLinux
import Testing

@testable import OnstagePlayback

@Suite("Real C: libasound without hardware", .serialized)
struct RealALSATests {
    private static func temporary(_ name: String) -> String {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        return "\(folder)/onstage-\(getpid())-\(name)"
    }

    private static func play(
        _ pcm: String, _ media: any MediaSource, _ change: (inout PlaybackConfiguration) -> Void = { _ in }
    ) throws -> (Acquired, ReleaseDetail, Reports) {
        let reports = Reports()
        var configuration = PlaybackConfiguration(output: .pcm(pcm))
        change(&configuration)
        let driver = PlaybackDriver(configuration: configuration, media: media, report: reports.add)
        var run = DriverRun(driver)
        let acquired = try run.acquire()
        try run.play(for: .seconds(60), stop: { reports.ended > 0 })
        return (acquired, run.release(), reports)
    }

    @Test(
        "what is played is what is in the file, byte for byte",
        arguments: [
            ("w00_plain_s16_stereo.wav", 44, 1920), ("w02_s24_packed_stereo.wav", 44, 1998),
            ("w04_float32_stereo_fact.wav", 58, 1600), ("w81_very_short_100_frames.wav", 44, 400),
            ("w82_one_frame.wav", 44, 2),
        ])
    func bytes(file: String, from: Int, count: Int) throws {
        let path = Self.temporary("bytes.raw")
        defer { unlink(path) }
        let (acquired, detail, reports) = try Self.play(
            "file:'\(path)',raw", MediaFile(path: Fixture.path(file)))
        #expect(reports.ended == 1)
        #expect(detail.position == 0)
        #expect(acquired.format.contains { $0.name == "throughPlugins" && $0.value == .flag(true) })
        let source = try #require(Fixture.bytes(Fixture.path(file)))
        let played = try #require(Fixture.bytes(path))
        try #require(played.count >= count)
        #expect(played[..<count].elementsEqual(source[from..<(from + count)]))
        #expect(played[count...].allSatisfy { $0 == 0 }, "only silence stands behind the last frame")
    }

    @Test(
        "every file of the WAV table that can be played is played, to the last bit of its sound",
        arguments: ExpectedWAV.all.filter { ["S16_LE", "S24_3LE", "FLOAT_LE"].contains($0.format) && $0.frames != 0 })
    func table(row: ExpectedWAV) throws {
        let path = Self.temporary("table.raw")
        defer { unlink(path) }
        let (acquired, _, reports) = try Self.play("file:'\(path)',raw", SoundFile.open(Fixture.path(row.file)))
        #expect(reports.ended == 1)
        #expect(acquired.notes.contains { $0.hasPrefix(Fixture.path(row.file)) } == (row.outcome == "WARN"))
        let width = ["S16_LE": 2, "S24_3LE": 3, "FLOAT_LE": 4][row.format] ?? 0
        let count = Int(row.frames ?? 0) * (row.channels ?? 0) * width
        let played = try #require(Fixture.bytes(path))
        try #require(played.count >= count)
        #expect(WAVTableTests.crc(Array(played[..<count])) == row.crc)
        #expect(played[count...].allSatisfy { $0 == 0 })
    }

    @Test("a name that nobody knows is absent, with libasound's words in the error and nothing on stderr")
    func unknown() {
        let error = #expect(throws: DeviceError.self) {
            try Self.play("nobodyknowsthis", RampSource(frames: 100))
        }
        #expect(error?.kind == .absent)
        #expect(error?.description.contains("nobodyknowsthis") == true)
    }

    @Test("A-17: without any card, \"default\" and hw: say so", .enabled(if: SoundCard.all().isEmpty))
    func noCard() {
        for name in ["default", "hw:0,0", "plughw:CARD=Loopback,DEV=0"] {
            let error = #expect(throws: DeviceError.self) { try Self.play(name, RampSource(frames: 100)) }
            #expect(error?.kind == .absent)
            #expect(error?.reason == "this machine has no sound card")
        }
        #expect(ProcessFacts.heldDevices().isEmpty)
    }

    @Test("W-03: a sound without frames has ended before any device is taken")
    func empty() throws {
        let (acquired, detail, reports) = try Self.play(
            "nobodyknowsthis", MediaFile(path: Fixture.path("w17_data_empty.wav")))
        #expect(reports.ended == 1)
        #expect(detail.position == 0)
        #expect(acquired.notes.last == "the media has no frames")
    }
}
