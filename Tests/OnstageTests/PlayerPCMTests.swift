import Glibc
import Onstage
import OnstageCore
import OnstageTestKit
import OnstageTestSupport
import Synchronization
import Testing

/// Sound that the app makes itself, on a sink that the clock paces.
@Suite("real: an app's own sound", .timeLimit(.minutes(1))) struct PlayerPCMTests {
    private let folder = Scratch(in: "/dev/shm")

    /// Numbers its frames from 1, in both channels of 16 bits: low half left, high half right.
    private final class Counter: Sendable {
        let next = Atomic<Int>(0)
        let calls = Atomic<Int>(0)
        let seeks = Mutex<[Int64]>([])
        let last: Int?

        init(last: Int? = nil) {
            self.last = last
        }

        @Sendable func fill(_ samples: inout MutableSpan<Int16>) -> Int? {
            calls.add(1, ordering: .relaxed)
            let first = next.load(ordering: .relaxed)
            if let last, first >= last { return nil }
            let count = min(samples.count / 2, (last ?? .max) - first)
            for index in 0..<count {
                let number = UInt32(first + index + 1)
                samples[2 * index] = Int16(truncatingIfNeeded: number)
                samples[2 * index + 1] = Int16(truncatingIfNeeded: number >> 16)
            }
            next.store(first + count, ordering: .relaxed)
            return count
        }

        @Sendable func seek(_ frame: Int64) {
            seeks.withLock { $0.append(frame) }
            next.store(Int(frame), ordering: .relaxed)
        }
    }

    private var options: Player.Options {
        var options = Player.Options()
        options.output = nil
        options.recording = folder("heard.wav")
        return options
    }

    /// Plays, pauses and plays on at random; answers what the receipts said.
    private func walk(_ player: Player, cycles: Int) async throws -> [ReleaseReceipt] {
        let broker = try Broker()
        let scene = broker.scene("main")
        let receipts = Mutex<[ReleaseReceipt]>([])
        let events = player.events(positionEvery: .milliseconds(10))
        player.playWhenReady = true
        try scene.bind(player)
        scene.resume()
        var chance = SplitMix64(seed: 3)
        var wanted = Int64.random(in: 0...3_000, using: &chance)
        for await event in events {
            switch event {
            case .position(let frame):
                // Far enough: pause, and go on at once.
                guard player.playWhenReady, frame > wanted else { continue }
                player.pause()
            case .released(let receipt):
                if receipt.detail.position != nil { receipts.withLock { $0.append(receipt) } }
                guard receipts.withLock({ $0.count }) < cycles else { break }
                wanted = (receipt.detail.position ?? 0) + Int64.random(in: 0...3_000, using: &chance)
                player.play()
                continue
            default: continue
            }
            if receipts.withLock({ $0.count }) >= cycles { break }
        }
        await broker.close()
        return receipts.withLock { $0 }
    }

    @Test(arguments: [SinkPlace.queued, .inline])
    func nothingIsLostOverPauses(_ place: SinkPlace) async throws {
        let counter = Counter()
        let player = try Player(rate: 48_000, channels: 2, options, place: place, fill: counter.fill)
        #expect(!player.info.isSeekable && !player.info.hasLength && player.info.format == "S16_LE")
        let receipts = try await walk(player, cycles: 15)
        let frames = try NumberedSound.heard(folder("heard.wav"))
        #expect(frames.elementsEqual(1...UInt32(frames.count)))
        #expect(receipts.allSatisfy { $0.detail.off == 0 })
        #expect(receipts.last?.detail.position == Int64(frames.count))
        // Inline no more is asked for than the device takes; queued it is some 100 ms ahead.
        let ahead = counter.next.load(ordering: .relaxed) - frames.count
        #expect(ahead <= (place == .inline ? 4_800 : 4_800 * 2 + 4_800), "\(ahead)")
    }

    @Test func theEndIsItsEnd() async throws {
        let counter = Counter(last: 7_001)
        let player = try Player(rate: 48_000, channels: 2, options, fill: counter.fill)
        let broker = try Broker()
        let scene = broker.scene("main")
        let events = player.events()
        player.playWhenReady = true
        try scene.bind(player)
        scene.resume()
        for await event in events where event == .state(.ended) { break }
        #expect(player.position == 7_001)
        await broker.close()
        #expect(try NumberedSound.heard(folder("heard.wav")).elementsEqual(1...7_001))
    }

    @Test func whatCanBeSoughtIsSoughtAndKept() async throws {
        let counter = Counter(last: 480_000)
        var options = options
        options.key = "synth"
        let positions = Positions(directory: folder("state"))
        let player = try Player(
            rate: 48_000, channels: 2, length: 480_000, options, positions: positions, seek: counter.seek,
            fill: counter.fill)
        #expect(player.info.isSeekable && player.info.frames == 480_000)
        var patient = Broker.Configuration()
        patient.releaseWatchdog = .seconds(30)  // a release that a busy machine forced would not be exact
        let broker = try Broker(patient)
        let scene = broker.scene("main")
        let events = player.events(positionEvery: .milliseconds(10))
        player.seek(to: 100_000)
        player.playWhenReady = true
        try scene.bind(player)
        scene.resume()
        for await event in events {
            if case .position(let frame) = event, frame > 104_800 { break }
        }
        await broker.close()
        positions.close()
        let frames = try NumberedSound.heard(folder("heard.wav"))
        #expect(frames.first == 100_001)
        #expect(player.position == 100_000 + Int64(frames.count))
        #expect(counter.seeks.withLock { $0 } == [100_000], "a pause asks for nothing again")
        // The next one goes on there.
        let again = Positions(directory: folder("state"))
        let next = try Player(
            rate: 48_000, channels: 2, length: 480_000, options, positions: again, seek: Counter().seek,
            fill: Counter().fill)
        let second = try Broker()
        let told = next.events()
        try second.scene("main").bind(next)
        for await event in told where event == .position(100_000 + Int64(frames.count)) { break }
        await second.close()
        again.close()
    }

    /// It waits for its samples in the call: no pause waits for it, and the silence is told.
    @Test func aCallThatWaitsHoldsUpNoPause() async throws {
        let gate = FakeDevice.Gate()
        let player = try Player(rate: 48_000, channels: 2, options) { (samples: inout MutableSpan<Int16>) in
            gate.pass()
            return nil
        }
        let broker = try Broker()
        let scene = broker.scene("main")
        let events = player.events()
        player.playWhenReady = true
        try scene.bind(player)
        scene.resume()
        for await event in events where event == .state(.buffering) { break }
        let answers = player.events()
        player.pause()
        for await event in answers {
            guard case .released(let receipt) = event else { continue }
            let released = try #require(receipt.released)
            #expect(!receipt.forced && receipt.detail.position == 0)
            if getenv("ONSTAGE_SANITIZER") == nil { #expect(released - receipt.asked < .milliseconds(200)) }
            break
        }
        gate.open()
        await broker.close()
    }

    @Test func prepareReadsAheadAndTouchesNoDevice() async throws {
        let counter = Counter()
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let player = try Player(rate: 48_000, channels: 2, options) { (samples: inout MutableSpan<Int16>) in
            ask.yield()
            return counter.fill(&samples)
        }
        player.prepare()
        for await _ in asked { break }
        #expect(player.state == .closed && player.position == 0)
        let receipts = try await walk(player, cycles: 2)
        #expect(receipts.count == 2)
        let frames = try NumberedSound.heard(folder("heard.wav"))
        #expect(frames.elementsEqual(1...UInt32(frames.count)))
    }

    @Test func positionsWithoutAKeyAreRefused() {
        #expect {
            let nothing: @Sendable (inout MutableSpan<Float>) -> Int? = { _ in nil }
            _ = try Player(
                rate: 48_000, channels: 2, positions: Positions(directory: nil), seek: { _ in }, fill: nothing)
        } throws: {
            ($0 as? DeviceError)?.kind == .configuration
        }
    }
}
