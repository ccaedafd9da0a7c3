import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite(
    "Hardware: channels that the card has not, judged by what its far side records", .serialized,
    .enabled(if: Bench.hasLoopback))
struct ChannelHardwareTests {
    private static let device = "hw:CARD=Loopback,DEV=0"

    /// The samples of a WAV file of 16 bits.
    private static func samples(_ file: String, from: Int) throws -> [Int] {
        let bytes = try #require(Fixture.bytes(Fixture.path(file)))
        return stride(from: from, to: bytes.count - 1, by: 2).map {
            Int(Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8))
        }
    }

    private static func play(
        _ pcm: String, _ file: String, rate: Int, recorded channels: Int
    ) throws -> (PlayedOut, Recording) {
        let far = try FarSide("channels", rate: rate, channels: channels)
        let played = try PlayedOut(pcm, SoundFile.open(Fixture.path(file)))
        let recording = Recording(far.stopped(), .s16, channels: channels)
        #expect(far.complaints.isEmpty)
        return (played, recording)
    }

    @Test("A-16: mono on a card that takes two channels: both have every sample, at the same level, and it stays plain")
    func monoOnStereo() throws {
        let file = "w83_prime_length_mono_44k1.wav"
        let (played, recording) = try Self.play(Self.device, file, rate: 44_100, recorded: 2)
        #expect(played.format("channels") == .integer(2) && played.format("mediaChannels") == .integer(1))
        #expect(played.format("throughPlugins") == .flag(false))
        let mono = try Self.samples(file, from: 44)
        #expect(mono.count == 1537)
        #expect(recording.worst(mono.flatMap { [$0, $0] }) == 0)
        #expect(played.driver.counts.delivered == 1537)
    }

    @Test("A-16, A-24: looped and paused at random, each frame of it is heard once, and positions are the source's")
    func monoPaused() throws {
        let far = try FarSide("mono", rate: 44_100)
        let reports = Reports()
        let driver = PlaybackDriver(
            configuration: PlaybackConfiguration(output: .pcm(Self.device)),
            media: try SoundFile.open(Fixture.path("w83_prime_length_mono_44k1.wav")), report: reports.add)
        driver.controls.isLooped = true
        var run = DriverRun(driver)
        var chance = SplitMix64(seed: 16)
        var position: Int64 = 0
        for _ in 0..<20 {
            try run.acquire()
            try run.play(for: .microseconds(Int64.random(in: 1_000...200_000, using: &chance)))
            let detail = run.release()
            #expect(detail.mode == .exact && detail.off == 0 && detail.bound == 0)
            position = try #require(detail.position)
        }
        let heard = Recording(Self.withoutSilence(far.stopped(), frame: 4), .s16, channels: 2)
        #expect(far.complaints.isEmpty)
        let mono = try Self.samples("w83_prime_length_mono_44k1.wav", from: 44)
        let wanted = (0..<heard.frames).flatMap { [mono[$0 % 1537], mono[$0 % 1537]] }
        #expect(heard.worst(wanted) == 0)
        #expect(heard.frames == Int(driver.counts.delivered) && Int64(heard.frames % 1537) == position)
    }

    private static func withoutSilence(_ bytes: [UInt8], frame: Int) -> [UInt8] {
        var kept: [UInt8] = []
        for place in stride(from: 0, to: bytes.count - frame + 1, by: frame)
        where bytes[place..<place + frame].contains(where: { $0 != 0 }) {
            kept += bytes[place..<place + frame]
        }
        return kept
    }

    @Test("A-16: 5.1 on a card that takes two channels: the centre and the surrounds at −3 dB, and nothing clips")
    func surroundOnStereo() throws {
        let (played, recording) = try Self.play(Self.device, "w05_ext_51_s16.wav", rate: 48_000, recorded: 2)
        #expect(played.format("throughPlugins") == .flag(false))
        let wav = try Self.samples("w05_ext_51_s16.wav", from: 68)
        let whole = 1 + 2.0.squareRoot()
        let wanted = (0..<120).flatMap { frame -> [Int] in
            let from = (0..<6).map { Double(wav[frame * 6 + $0]) }
            return [0, 1].map { Int(((from[$0] + (from[2] + from[4 + $0]) * 0.5.squareRoot()) / whole).rounded()) }
        }
        #expect(recording.worst(wanted) == 0)
    }

    @Test("A-16: stereo on a card that takes one channel: the mean of both")
    func stereoOnMono() throws {
        let (_, recording) = try Self.play(Self.device, "w00_plain_s16_stereo.wav", rate: 48_000, recorded: 1)
        let wav = try Self.samples("w00_plain_s16_stereo.wav", from: 44)
        let wanted = (0..<480).map { Int((Double(wav[$0 * 2] + wav[$0 * 2 + 1]) / 2).rounded()) }
        // Where the mean is nothing there is silence, which is cut off at both ends.
        let all = Recording(wanted.flatMap { WAVMaker.word($0, 2) }, .s16, channels: 1)
        #expect(recording.worst(all.samples) == 0)
    }

    @Test("A-16: stereo on a card that takes six channels: the front, and the others silent")
    func stereoOnSix() throws {
        let (played, recording) = try Self.play(Self.device, "w00_plain_s16_stereo.wav", rate: 48_000, recorded: 6)
        #expect(played.format("channels") == .integer(6))
        let wav = try Self.samples("w00_plain_s16_stereo.wav", from: 44)
        #expect(recording.worst((0..<480).flatMap { [wav[$0 * 2], wav[$0 * 2 + 1], 0, 0, 0, 0] }) == 0)
    }

    @Test("A-16: 5.1 in the order of the card: ALSA's where it does not say, else what its map says")
    func surroundOnSix() throws {
        Bench.useConfiguration()
        let wav = try Self.samples("w05_ext_51_s16.wav", from: 68)
        let (plain, recording) = try Self.play(Self.device, "w05_ext_51_s16.wav", rate: 48_000, recorded: 6)
        #expect(recording.worst((0..<120).flatMap { frame in [0, 1, 4, 5, 2, 3].map { wav[frame * 6 + $0] } }) == 0)
        #expect(plain.format("channelMix") == .text("FL FR FC LFE RL RR to FL FR RL RR FC LFE"))
        let (mapped, same) = try Self.play("benchsurround", "w05_ext_51_s16.wav", rate: 48_000, recorded: 6)
        #expect(same.worst(wav) == 0)
        #expect(mapped.format("channelMix") == nil)
    }

    /// Six channels of which only the centre sounds.
    private static func centre(rate: Int, frames: Int) -> String {
        let path = "/tmp/onstage-centre-\(rate).wav"
        let frame = [0, 0, 20_000, 0, 0, 0].flatMap { WAVMaker.word($0, 2) }
        let mask = WAVMaker.extended(channels: 6, bits: 16, mask: 0x3F)
        let format = Array(mask[..<4]) + WAVMaker.word(rate, 4) + WAVMaker.word(rate * 12, 4) + Array(mask[12...])
        Fixture.write(
            WAVMaker.riff([
                WAVMaker.chunk("fmt ", format), WAVMaker.chunk("data", (0..<frames).flatMap { _ in frame }),
            ]), to: path)
        return path
    }

    @Test(
        "A-16, A-14: 5.1 through plug-ins that would leave out all but two channels: the centre is heard on both sides",
        arguments: ["hw:CARD=Loopback,DEV=0", "plughw:CARD=Loopback,DEV=0", "benchmix", "benchdmix"])
    func throughPlugins(pcm: String) throws {
        Bench.useConfiguration()
        let isMixed = pcm.hasPrefix("bench")
        let (rate, frames) = isMixed ? (48_000, 48_000) : (44_100, 44_100)
        let path = Self.centre(rate: rate, frames: frames)
        let far = try FarSide("centre")
        let played = try PlayedOut(pcm, SoundFile.open(path))
        let recording = Recording(far.stopped(), .s16, channels: 2)
        unlink(path)
        #expect(played.format("throughPlugins") == .flag(true) && played.format("channels") == .integer(2))
        let level = 20_000 * 0.5.squareRoot() / (1 + 2.0.squareRoot())
        let steady = recording.samples.dropFirst(2_000).dropLast(2_000)
        let found = "\(steady.min() ?? 0)…\(steady.max() ?? 0) for \(level)"
        #expect(steady.allSatisfy { abs(Double($0) - level) <= 2 }, "\(found)")
        // A second, within 0.1 %.
        #expect(abs(recording.frames - 48_000) <= 48, "\(recording.frames)")
        #expect(played.driver.counts.delivered == UInt64(frames))
    }
}
