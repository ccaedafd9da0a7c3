import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite("Hardware: snd-aloop, judged by what its far side records", .serialized, .enabled(if: Bench.hasLoopback))
struct HardwareTests {
    /// How many cycles, at most, a run makes: `ONSTAGE_CYCLES` for a soak.
    private static func cycles(_ usual: Int) -> Int {
        getenv("ONSTAGE_CYCLES").flatMap { Int(String(cString: $0)) } ?? usual
    }

    /// Pauses at random times, and judges what the far side heard: 0 lost, 0 repeated, and what a receipt says of itself.
    ///
    /// A run in which the whole guest stood still for longer than a ring lasts (the card then plays it again, and the player
    /// says so), or in which the recorder lost frames, proves nothing: it is made again.
    private static func walk(
        _ pcm: String, cycles: Int, seed: UInt64, mode: PauseMode = .exact, name: String, isStalled: Bool = false
    ) throws {
        for attempt in 0..<3 {
            if try walkOnce(pcm, cycles: cycles, seed: seed &+ UInt64(attempt), mode, name, isStalled) { return }
        }
        Issue.record("\(name): no run of three was sound")
    }

    /// Answers whether the run counts.
    private static func walkOnce(
        _ pcm: String, cycles: Int, seed: UInt64, _ mode: PauseMode, _ name: String, _ isStalled: Bool
    ) throws -> Bool {
        Bench.useConfiguration()
        var chance = SplitMix64(seed: seed)
        let reports = Reports()
        var configuration = PlaybackConfiguration(output: .pcm(pcm))
        configuration.pauseMode = mode
        // An emulated guest on a busy host stands still for more than 100 ms at times, its sound card's timer as well.
        configuration.bufferTime = isStalled ? .seconds(1) : .milliseconds(300)
        let driver = PlaybackDriver(
            configuration: configuration, media: CounterSource(frames: 1 << 40), report: reports.add)
        var run = DriverRun(driver)
        let far = try FarSide(name)
        var times: [Duration] = []
        var position: Int64 = 0
        var (missed, doubtful): (Int64, Int64) = (0, 0)
        let staller = isStalled ? try Staller(seed: seed) : nil
        for _ in 0..<cycles {
            #expect(driver.controls.position == position)
            try run.acquire()
            // Log-uniform, 1 ms … 0.5 s.
            let exponent = Double.random(in: 0...9, using: &chance)
            try run.play(for: .microseconds(Int64(1000 * exp2(exponent))))
            let asked = MonotonicTime.now
            let detail = run.release()
            times.append((detail.released ?? asked) - asked)
            missed += try #require(detail.off)
            if detail.mode == .exact { doubtful += try #require(detail.bound) }
            position = try #require(detail.position)
            #expect(SmallFile.line("/proc/asound/Loopback/pcm0p/sub0/status") == "closed")
        }
        staller?.stop()
        times.sort()
        let heard = far.stop()
        let judgement = Judgement(heard)
        let rounds = reports.recovered.count { $0.kind == .stalled }
        print(
            "\(name): \(cycles) cycles, released after \(times[times.count / 2]) median, "
                + "\(times[times.count * 99 / 100]) p99, \(times[times.count - 1]) max; \(driver.counts.underruns) underruns; "
                + "\(judgement); told: \(missed) off, \(doubtful) in doubt, \(rounds) rings heard again\(far.complaints)"
        )
        guard rounds == 0, far.complaints.isEmpty else { return false }
        if !isStalled {
            // In virtual time: what others do on this machine is not in it.
            let limit: Duration =
                mode == .fast ? .microseconds(150) : pcm.hasPrefix("hw:") ? .milliseconds(30) : .milliseconds(60)
            #expect(times[times.count - 1] <= limit)
            #expect(judgement == Judgement([]), "\(judgement)")
            #expect(Int64(heard.count) == position)
        } else if mode == .fast {
            // This card is stopped and its pointer taken in one go: whoever stops us stops both.
            #expect(judgement == Judgement([]), "\(judgement)")
            #expect(Int64(heard.count) == position)
        } else if doubtful + missed == 0 {
            #expect(judgement == Judgement([]), "\(judgement)")
            #expect(Int64(heard.count) == position)
        } else {
            // Stopped in the midst of a mixer's write, or of a splice: it cannot be known, and the receipts said so.
            let told = doubtful + missed
            #expect(Int64(judgement.lost + judgement.repeated) <= told, "\(judgement), \(told) told")
        }
        return true
    }

    @Test("A-02, L-02: exact pauses on hw: 0 lost, 0 repeated")
    func exactOnHardware() throws {
        try Self.walk("hw:CARD=Loopback,DEV=0", cycles: Self.cycles(100), seed: 1, name: "hw-exact")
    }

    @Test("fast pauses on hw: 0 lost, 0 repeated on a card whose sound moves with its pointer")
    func fastOnHardware() throws {
        try Self.walk("hw:CARD=Loopback,DEV=0", cycles: Self.cycles(50), seed: 2, mode: .fast, name: "hw-fast")
    }

    @Test("exact pauses through dmix: 0 lost, 0 repeated")
    func exactThroughDmix() throws {
        try Self.walk("benchdmix", cycles: Self.cycles(50), seed: 3, name: "dmix-exact")
    }

    @Test(
        "stopped at random for 10 to 400 ms while it plays and pauses: nothing lost or repeated but what a receipt tells",
        arguments: [
            ("hw:CARD=Loopback,DEV=0", PauseMode.exact), ("hw:CARD=Loopback,DEV=0", .fast), ("benchdmix", .exact),
        ])
    func stalled(pcm: String, mode: PauseMode) throws {
        let name = "stalled-\(pcm == "benchdmix" ? "dmix" : "hw")-\(mode)"
        try Self.walk(pcm, cycles: Self.cycles(25), seed: 4, mode: mode, name: name, isStalled: true)
    }

    private static func driver(_ pcm: String, _ media: any MediaSource, _ reports: Reports) -> PlaybackDriver {
        var configuration = PlaybackConfiguration(output: .pcm(pcm))
        // See walkOnce: a ring that the guest's own stops do not outlast.
        configuration.bufferTime = .seconds(1)
        return PlaybackDriver(configuration: configuration, media: media, report: reports.add)
    }

    @Test("a device that somebody plays on is in use, and the error names who")
    func busy() throws {
        let words = [
            "aplay", "-q", "-D", "hw:CARD=Loopback,DEV=0,SUBDEV=0", "-f", "S16_LE", "-c", "2", "-r", "48000",
            "/dev/zero",
        ]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var child: pid_t = 0
        try #require(posix_spawnp(&child, "aplay", nil, nil, &arguments, environ) == 0)
        defer {
            kill(child, SIGKILL)
            var status: Int32 = 0
            waitpid(child, &status, 0)
        }
        let status = "/proc/asound/Loopback/pcm0p/sub0/status"
        let limit = MonotonicTime.now + .seconds(10)
        while SmallFile.line(status) == "closed", MonotonicTime.now < limit { usleep(10_000) }
        var run = DriverRun(Self.driver("hw:CARD=Loopback,DEV=0", CounterSource(frames: 48_000), Reports()))
        let error = #expect(throws: DeviceError.self) { try run.acquire() }
        #expect(error?.kind == .inUse)
        #expect(error?.holders == [DeviceHolder(pid: child, program: "aplay")])
        #expect(ProcessFacts.heldDevices().isEmpty)
    }

    @Test("A-14, A-21: what a fixed device does not take goes through plug, and is said to")
    func throughPlug() throws {
        Bench.useConfiguration()
        let far = try FarSide("plug")
        let reports = Reports()
        let driver = Self.driver(
            "hw:CARD=Loopback,DEV=0", try MediaFile(path: Fixture.path("w83_prime_length_mono_44k1.wav")), reports)
        driver.controls.isLooped = true
        var run = DriverRun(driver)
        let acquired = try run.acquire()
        #expect(acquired.notes.contains { $0.contains("plug") })
        #expect(acquired.format.contains { $0.name == "rate" && $0.value == .integer(44_100) })
        #expect(acquired.format.contains { $0.name == "deviceRate" && $0.value == .integer(48_000) })
        try run.play(for: .seconds(1))
        let detail = run.release()
        #expect(detail.mode == .exact)
        #expect((detail.bound ?? 0) > 0)
        // As long at 48 kHz as the frames that were counted at 44.1 kHz, within 2 %.
        let heard = Double(far.stop().count) / 48_000
        let counted = Double(driver.counts.delivered) / 44_100
        #expect(abs(heard - counted) < 0.02 * counted, "\(heard) s heard, \(counted) s counted")
    }

    @Test("a seek in steady play: what was heard, and then the target, with nothing between")
    func soughtInSteadyPlay() throws {
        let far = try FarSide("seek")
        // A ring of 100 ms: short beside what the feed has in one piece, else there are no turns of nothing but writing.
        let configuration = PlaybackConfiguration(output: .pcm("hw:CARD=Loopback,DEV=0"))
        let driver = PlaybackDriver(
            configuration: configuration, media: MediaFeed(CounterSource(frames: 1 << 40)), report: Reports().add)
        var run = DriverRun(driver)
        try run.acquire()
        try run.play(for: .seconds(3), stop: { driver.counts.delivered > 48_000 && driver.keepsWait })
        #expect(driver.keepsWait)
        let target: Int64 = 1_000_000
        driver.controls.seek(to: target)
        try run.play(for: .seconds(2))
        let position = run.release().position ?? 0
        let heard = far.stop()
        try #require(far.complaints.isEmpty, "\(far.complaints)")
        // Frame n of the source is the number n + 1.
        let split = try #require(heard.firstIndex(of: UInt32(target) + 1))
        #expect(split > 48_000 && heard[..<split].elementsEqual(1...UInt32(split)))
        #expect(heard[split...].elementsEqual(UInt32(target) + 1...UInt32(position)))
    }

    @Test("a card that comes back under another number is found by its ID, whatever has come under the old one")
    func renumbered() throws {
        func load(_ aloop: String, _ dummy: String) throws {
            let script =
                "modprobe -r snd-aloop && modprobe -r snd-dummy && modprobe snd-dummy \(dummy) && modprobe snd-aloop \(aloop)"
            var status: Int32 = -1
            waitpid(try Bench.spawn(["sh", "-c", script]), &status, 0)
            try #require(status == 0)
        }
        let driver = Self.driver("hw:CARD=Loopback,DEV=0", CounterSource(frames: 1 << 40), Reports())
        var run = DriverRun(driver)
        try run.acquire()
        try run.play(for: .milliseconds(100))
        let before = run.release().position ?? 0
        try load("index=7", "index=0")
        do {
            try run.acquire()
            try run.play(for: .milliseconds(100))
            #expect(SmallFile.line("/proc/asound/card7/pcm0p/sub0/status")?.hasPrefix("state: RUNNING") == true)
            #expect(SmallFile.line("/proc/asound/card0/pcm0p/sub0/status") == "closed")
            #expect((run.release().position ?? 0) > before)
        } catch {
            Issue.record(error)
        }
        try load("", "")
    }

    @Test("A-12: a card that is pulled while it plays is absent; nothing stays open, and it is found again by its ID")
    func pulled() throws {
        let driver = Self.driver("hw:CARD=Loopback,DEV=0", CounterSource(frames: 1 << 40), Reports())
        var run = DriverRun(driver)
        try run.acquire()
        try run.play(for: .milliseconds(300))
        // The write returns when the last descriptor is closed: it is made by a process of its own.
        let script = "echo snd_aloop.0 > /sys/bus/platform/drivers/snd_aloop/unbind"
        let words = ["sh", "-c", script]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var child: pid_t = 0
        try #require(posix_spawnp(&child, "sh", nil, nil, &arguments, environ) == 0)
        let error = #expect(throws: DeviceError.self) { try run.play(for: .seconds(5)) }
        #expect(error?.kind == .absent)
        let detail = run.release(hurried: true)
        #expect(ProcessFacts.heldDevices().isEmpty)
        #expect(detail.position == driver.controls.position)
        #expect((detail.position ?? 0) > 4_000)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        let absent = #expect(throws: DeviceError.self) { try driver.resolve() }
        #expect(absent?.kind == .absent)
        let file = try #require(fopen("/sys/bus/platform/drivers/snd_aloop/bind", "w"))
        fputs("snd_aloop.0", file)
        fclose(file)
        try run.acquire()
        try run.play(for: .milliseconds(100))
        #expect((run.release().position ?? 0) > (detail.position ?? 0))
    }
}
