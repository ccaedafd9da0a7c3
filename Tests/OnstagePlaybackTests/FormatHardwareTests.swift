import Glibc
import OnstageCore
import OnstageLinux
import Testing

@testable import OnstagePlayback

@Suite(
    "Hardware: layouts and rates that the card has not, and cards that are not there", .serialized,
    .enabled(if: Bench.hasLoopback))
struct FormatHardwareTests {
    /// A WAV file of 24-bit sound: as three bytes (w02), at the high end of four with 24 that count (w33), or as plain 32 bits (w34).
    enum Layout: String, CaseIterable, Sendable {
        case w02, w33, w34

        /// The file's path, and its samples at the width of 32 bits.
        func make() throws -> (path: String, samples: [Int]) {
            let frames = 3_000
            let values = (0..<frames * 2).map { index in
                // Every bit of 24, or of 32, is met.
                let value = Int32(truncatingIfNeeded: (index * 2_654_435 &+ 0x5A5A5A) << 7)
                return self == .w34 ? value : value & ~0xFF
            }
            if self == .w02 {
                let path = Fixture.path("w02_s24_packed_stereo.wav")
                let bytes = try #require(Fixture.bytes(path))
                let samples = stride(from: 44, to: 44 + 333 * 6, by: 3).map { place in
                    let value = (0..<3).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << (8 + 8 * $1) }
                    return Int(Int32(bitPattern: value))
                }
                return (path, samples)
            }
            let format = self == .w33 ? WAVMaker.extended(bits: 32, valid: 24) : WAVMaker.format(bits: 32)
            let path = "/tmp/onstage-\(rawValue).wav"
            let data = values.flatMap { WAVMaker.word(Int($0), 4) }
            Fixture.write(WAVMaker.riff([WAVMaker.chunk("fmt ", format), WAVMaker.chunk("data", data)]), to: path)
            return (path, values.map { Int($0) })
        }

        var rate: Int { self == .w02 ? 44_100 : 48_000 }
    }

    static let formats: [SampleFormat] = [.s24Packed, .s32, .s16]

    @Test(
        "A-15: 24-bit sound in each layout, on a card that takes but one: every bit that fits, and never noise",
        arguments: Layout.allCases, formats)
    func layouts(layout: Layout, format: SampleFormat) throws {
        let (path, samples) = try layout.make()
        let far = try FarSide("layout", rate: layout.rate, format: format.name)
        let played = try PlayedOut("hw:CARD=Loopback,DEV=0", SoundFile.open(path))
        let recording = Recording(far.stopped(), format, channels: 2)
        #expect(far.complaints.isEmpty)
        let shift = 32 - format.bytes * 8
        let wanted = samples.map { $0 >> shift }
        // Of what is too wide for the card ALSA's plug keeps the upper bits.
        let isCut = samples.contains { $0 & (1 << shift - 1) != 0 }
        let worst = try #require(recording.worst(wanted), "\(recording.frames) frames for \(wanted.count / 2)")
        #expect(worst <= (isCut ? 1 : 0))
        #expect(played.driver.counts.delivered == UInt64(wanted.count / 2))
    }

    /// Loads the bench's cards otherwise, and answers whether that came off.
    private static func load(_ script: String) throws {
        var status: Int32 = -1
        let all = "modprobe -r snd-aloop && modprobe -r snd-dummy && " + script
        waitpid(try Bench.spawn(["sh", "-c", all]), &status, 0)
        try #require(status == 0)
    }

    private static func restore() {
        var status: Int32 = -1
        let script = "modprobe -r snd-aloop; modprobe -r snd-dummy; modprobe snd-aloop; modprobe snd-dummy"
        if let child = try? Bench.spawn(["sh", "-c", script]) { waitpid(child, &status, 0) }
    }

    @Test(
        "A-14, A-16: on a card that takes 48 kHz and two channels alone a sound lasts as long as it is, within 0.1 %",
        arguments: ["w06_rate_55466_mono.wav", "w83_prime_length_mono_44k1.wav"])
    func fixedRate(file: String) throws {
        try Self.load("modprobe snd-dummy model=ac97 && modprobe snd-aloop")
        defer { Self.restore() }
        let info = try SoundFile.open(Fixture.path(file)).info
        // A pass is some hundredths of a second; a minute of them, in guest time.
        let reports = Reports()
        let driver = PlaybackDriver(
            configuration: PlaybackConfiguration(output: .pcm("hw:CARD=Dummy,DEV=0")),
            media: try SoundFile.open(Fixture.path(file)), report: reports.add)
        driver.controls.isLooped = true
        var run = DriverRun(driver)
        let acquired = try run.acquire()
        #expect(acquired.format.contains { $0.name == "deviceRate" && $0.value == .integer(48_000) })
        #expect(acquired.notes.contains { $0.contains("plug") })
        #expect(SmallFile.text("/proc/asound/Dummy/pcm0p/sub0/hw_params")?.contains("channels: 2\n") == true)
        // What both sides count at the same moment: the kernel's frames of 48 kHz, and the source's.
        func counted() throws -> (kernel: Double, source: Double) {
            let status = SmallFile.text("/proc/asound/Dummy/pcm0p/sub0/status") ?? ""
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("hw_ptr") })
            let pointer = try #require(line.split(separator: " ").last.flatMap { Double($0) })
            return (pointer / 48_000, Double(driver.counts.delivered) / Double(info.rate))
        }
        let begun = MonotonicTime.now
        try run.play(for: .seconds(30))
        let (first, atFirst) = (try counted(), MonotonicTime.now)
        try run.play(for: .seconds(60))
        let (last, atLast) = (try counted(), MonotonicTime.now)
        #expect(atFirst - begun >= .seconds(30) && driver.counts.underruns == 0)
        let source = last.source - first.source
        let clock = Double((atLast - atFirst).wholeNanoseconds) / 1e9
        let card = last.kernel - first.kernel
        #expect(abs(source - card) < 0.001 * source, "\(source) s, the card \(card) s")
        #expect(abs(source - clock) < 0.001 * clock, "\(source) s in \(clock) s")
        let detail = run.release()
        let position = try #require(detail.position)
        #expect(position == Int64(driver.counts.delivered) % info.frames)
        #expect((0..<info.frames).contains(position))
        #expect((detail.bound ?? 0) > 0, "through a rate converter to a period")
    }

    @Test("A-14: 44.1 kHz through plughw on a card that is fixed to 48 kHz: its length within 0.1 %")
    func throughPlug() throws {
        let path = "/tmp/onstage-441.wav"
        let frame = WAVMaker.word(12_345, 2) + WAVMaker.word(12_345, 2)
        Fixture.write(
            WAVMaker.riff([
                WAVMaker.chunk("fmt ", WAVMaker.format(rate: 44_100)),
                WAVMaker.chunk("data", (0..<441_000).flatMap { _ in frame }),
            ]), to: path)
        defer { unlink(path) }
        let far = try FarSide("length")
        let played = try PlayedOut("plughw:CARD=Loopback,DEV=0", SoundFile.open(path))
        let recording = Recording(far.stopped(), .s16, channels: 2)
        #expect(far.complaints.isEmpty)
        #expect(abs(recording.frames - 480_000) <= 480, "\(recording.frames)")
        #expect(played.driver.counts.delivered == 441_000)
    }

    @Test("A-17: no \"default\", and the only card is number 3: it is played on, whatever the configuration says")
    func fallback() throws {
        try Self.load("modprobe snd-dummy index=3")
        let before = getenv("ALSA_CONFIG_PATH").map { String(cString: $0) }
        defer {
            if let before { setenv("ALSA_CONFIG_PATH", before, 1) } else { unsetenv("ALSA_CONFIG_PATH") }
            Self.restore()
        }
        let empty = "/tmp/onstage-empty.conf"
        Fixture.write([], to: empty)
        // Alsa's own, none where the variable is empty, and a file that has nothing in it.
        for path in [nil, "", empty] {
            if let path { setenv("ALSA_CONFIG_PATH", path, 1) } else { unsetenv("ALSA_CONFIG_PATH") }
            let played = try PlayedOut("default", SoundFile.open(Fixture.path("w00_plain_s16_stereo.wav")))
            #expect(played.format("card") == .text("Dummy"), "\(path ?? "nil")")
            #expect(played.driver.counts.delivered == 480)
            #expect(
                played.acquired.notes.contains { $0.hasPrefix("there is no PCM \"default\": ") }, "\(path ?? "nil")")
        }
        // A name that nobody knows is another matter than no card.
        let error = #expect(throws: DeviceError.self) {
            try PlayedOut("nobodyknowsthis", SoundFile.open(Fixture.path("w82_one_frame.wav")))
        }
        #expect(error?.reason?.hasPrefix("there is no such PCM") == true, "\(String(describing: error))")
        #expect(error?.kind == .absent && error?.isRecoverable == true)
    }

    @Test("A-17: no sound card at all is said in these words, and waited for")
    func noCard() throws {
        try Self.load("true")
        defer { Self.restore() }
        for name in ["default", "hw:0,0", "plughw:CARD=Loopback,DEV=0", "nobodyknowsthis"] {
            let error = #expect(throws: DeviceError.self) {
                try PlayedOut(name, SoundFile.open(Fixture.path("w82_one_frame.wav")))
            }
            #expect(error?.reason == "this machine has no sound card", "\(name)")
            #expect(error?.kind == .absent && error?.isRecoverable == true)
        }
    }
}
