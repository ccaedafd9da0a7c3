import Glibc
import OnstageCore
import OnstageLinux
import Testing

@testable import OnstagePlayback

@Suite("Hardware: snd-aloop, judged by what its far side records", .serialized, .enabled(if: Bench.hasLoopback))
struct HardwareTests {
    /// How many cycles, at most, a run makes: `ONSTAGE_CYCLES` for a soak.
    private static func cycles(_ usual: Int) -> Int {
        getenv("ONSTAGE_CYCLES").flatMap { Int(String(cString: $0)) } ?? usual
    }

    /// Pauses at random times; answers what the far side heard, and says how long releases took.
    private static func walk(_ pcm: String, cycles: Int, seed: UInt64, mode: PauseMode = .exact, name: String) throws
        -> (heard: [UInt32], position: Int64)
    {
        Bench.useConfiguration()
        var chance = Chance(seed: seed)
        let reports = Reports()
        var configuration = PlaybackConfiguration(output: .pcm(pcm))
        configuration.pauseMode = mode
        // An emulated guest on a busy host stands still for more than 100 ms at times, its sound card's timer as well.
        configuration.bufferTime = .milliseconds(300)
        let driver = PlaybackDriver(
            configuration: configuration, media: CounterSource(frames: 1 << 40), report: reports.add)
        var run = DriverRun(driver)
        let far = try FarSide(name)
        var times: [Duration] = []
        var position: Int64 = 0
        var missed: [Int64] = []
        for _ in 0..<cycles {
            #expect(driver.controls.position == position)
            try run.acquire()
            // Log-uniform, 1 ms … 0.5 s.
            let exponent = Double.random(in: 0...9, using: &chance)
            try run.play(for: .microseconds(Int64(1000 * exp2(exponent))))
            let asked = MonotonicTime.now
            let detail = run.release()
            times.append((detail.released ?? asked) - asked)
            if let off = detail.off, off != 0 { missed.append(off) }
            position = try #require(detail.position)
            #expect(SmallFile.line("/proc/asound/Loopback/pcm0p/sub0/status") == "closed")
        }
        times.sort()
        print(
            "\(name): \(cycles) cycles, released after \(times[times.count / 2]) median, "
                + "\(times[times.count * 99 / 100]) p99, \(times[times.count - 1]) max; "
                + "\(driver.counts.underruns) underruns, splices missed by \(missed)")
        return (far.stop(), position)
    }

    @Test("A-02, L-02: exact pauses on hw: 0 lost, 0 repeated")
    func exactOnHardware() throws {
        let (heard, position) = try Self.walk(
            "hw:CARD=Loopback,DEV=0", cycles: Self.cycles(100), seed: 1, name: "hw-exact")
        let judgement = Judgement(heard)
        #expect(judgement == Judgement([]), "\(judgement)")
        #expect(Int64(heard.count) == position)
    }

    @Test("fast pauses on hw: 0 lost, 0 repeated on a card whose sound moves with its pointer")
    func fastOnHardware() throws {
        let (heard, position) = try Self.walk(
            "hw:CARD=Loopback,DEV=0", cycles: Self.cycles(50), seed: 2, mode: .fast, name: "hw-fast")
        let judgement = Judgement(heard)
        #expect(judgement == Judgement([]), "\(judgement)")
        #expect(Int64(heard.count) == position)
    }

    @Test("exact pauses through dmix: 0 lost, 0 repeated")
    func exactThroughDmix() throws {
        let (heard, position) = try Self.walk("benchdmix", cycles: Self.cycles(50), seed: 3, name: "dmix-exact")
        let judgement = Judgement(heard)
        #expect(judgement == Judgement([]), "\(judgement)")
        #expect(Int64(heard.count) == position)
    }
}
