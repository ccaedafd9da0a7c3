import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstageCamera

/// A queued sink's work, held until the test lets it go on.
final class Hold: Sendable {
    private let gate = Gate()
    private let isOpen = Atomic<Bool>(false)
    let entered = Atomic<Int>(0)

    func pass() {
        entered.wrappingAdd(1, ordering: .sequentiallyConsistent)
        gate.lock()
        while !isOpen.load(ordering: .relaxed) { gate.wait() }
        gate.wake()
        gate.unlock()
    }

    func open() {
        gate.lock()
        isOpen.store(true, ordering: .relaxed)
        gate.wake()
        gate.unlock()
    }
}

@Suite("real C: synthetic camera, sinks and frames")
struct SyntheticTests {
    private func camera(
        _ configuration: CameraConfiguration = CameraConfiguration(rate: Hertz(200)),
        pace: SyntheticCameraDriver.Pace = .asFastAsTheyCome, reports: Log<DriverReport> = Log()
    ) throws -> (SyntheticCameraDriver, FrameSinks, Turner) {
        let sinks = FrameSinks()
        let driver = SyntheticCameraDriver(
            configuration: configuration, sinks: sinks, report: { reports.append($0) }, pace: pace)
        return (driver, sinks, try Turner(driver))
    }

    @Test(arguments: [PixelFormat.yuyv, .bgra])
    func everyFrameShowsItsNumber(format: PixelFormat) throws {
        let (driver, sinks, turner) = try camera(CameraConfiguration(pixelFormat: format))
        let numbers = Log<UInt32?>()
        let sequences = Log<UInt64>()
        try sinks.add(.inline) { frame in
            numbers.append(TestPattern.number(in: frame))
            sequences.append(frame.sequence)
        }
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(5)) { numbers.count >= 50 })
        turner.release()
        #expect(numbers.entries.map { $0.map(UInt64.init) } == sequences.entries)
        #expect(sequences.entries == Array(0..<UInt64(numbers.count)))
        #expect(driver.counts.delivered == UInt64(numbers.count))
    }

    @Test func steadyPaceKeepsItsRate() throws {
        let (_, sinks, turner) = try camera(pace: .steady)
        let stamps = Log<MonotonicTime>()
        try sinks.add(.inline) { stamps.append($0.timestamp) }
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(10)) { stamps.count >= 20 })
        turner.release()
        let steps = zip(stamps.entries.dropFirst(), stamps.entries).map { ($0 - $1).wholeNanoseconds }
        #expect(steps.allSatisfy { $0 > 0 && $0 % 5_000_000 == 0 })
    }

    @Test("a queued sink is never waited for, its frame never overwritten, and no call begins after the release")
    func queued() throws {
        let (driver, sinks, turner) = try camera()
        let hold = Hold()
        let calls = Log<(UInt32?, UInt32?, UInt64)>()
        try sinks.add(.queued) { frame in
            let before = TestPattern.number(in: frame)
            hold.pass()
            calls.append((before, TestPattern.number(in: frame), frame.sequence))
        }
        let fast = Log<UInt64>()
        try sinks.add(.inline) { fast.append($0.sequence) }
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(5)) { hold.entered.load(ordering: .relaxed) == 1 })
        let before = fast.count
        #expect(try turner.turn(for: .seconds(5)) { fast.count >= before + 100 })
        // The sink still has its first frame: it has missed the others, and the release waits for nothing.
        let asked = MonotonicTime.now
        let detail = turner.release()
        #expect((detail?.released ?? asked) - asked < .milliseconds(200))
        #expect(driver.counts.dropped >= 90)
        #expect(driver.keptCount == 1)
        hold.open()
        while calls.count == 0 { try turner.turn(limit: .milliseconds(5)) }
        #expect(hold.entered.load(ordering: .relaxed) == 1)
        let (first, after, sequence) = calls.entries[0]
        #expect(first.map(UInt64.init) == sequence)
        #expect(after == 0)  // blanked by the release, not overwritten by a later frame

        // The next acquire calls it again, with new frames only.
        _ = try turner.acquire()
        let again = calls.count
        #expect(try turner.turn(for: .seconds(5)) { calls.count > again + 3 })
        turner.release()
        #expect(calls.entries.dropFirst(again).allSatisfy { $0.0 != nil && $0.0 == $0.1 })
    }

    @Test(
        "L-19: ten frames kept over the release are readable, blank or as they were",
        arguments: [
            KeptFramePolicy.blank, .copy,
        ])
    func kept(policy: KeptFramePolicy) throws {
        let (driver, sinks, turner) = try camera(CameraConfiguration(keptFrames: 10, keptFramePolicy: policy))
        let kept = Log<KeptFrame>()
        try sinks.add(.inline) { if $0.sequence < 10 { kept.append($0.keep()) } }
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(5)) { driver.counts.delivered > 40 })
        turner.release()
        #expect(driver.keptCount == 10)
        for (index, frame) in kept.entries.enumerated() {
            let number = frame.withFrame { TestPattern.number(in: $0) }
            #expect(number == (policy == .copy ? UInt32(index) : 0))
            #expect(frame.sequence == UInt64(index))
        }
    }

    @Test("a frame that comes home is filled again")
    func comesHome() throws {
        let (driver, sinks, turner) = try camera(CameraConfiguration(buffers: 2))
        let kept = Mutex<[KeptFrame]>([])
        let hold = Atomic<Bool>(true)
        try sinks.add(.inline) { frame in
            if hold.load(ordering: .relaxed) {
                let one = frame.keep()
                kept.withLock { $0.append(one) }
            }
        }
        _ = try turner.acquire()
        #expect(try turner.turn(for: .milliseconds(50)) { driver.counts.delivered > 2 } == false)
        #expect(driver.counts.delivered == 2)
        hold.store(false, ordering: .relaxed)
        try PosixThread.start("test-home") { kept.withLock { $0.removeAll() } }
        #expect(try turner.turn(for: .seconds(5)) { driver.counts.delivered > 20 })
        turner.release()
    }

    @Test("one conversion a frame however many sinks ask")
    func preview() throws {
        let (driver, sinks, turner) = try camera()
        let addresses = Log<(UInt64, UInt)>()
        for _ in 0..<3 {
            try sinks.add(.inline, as: .bgra) { frame in
                #expect(frame.pixelFormat == .bgra && frame.stride == frame.width * 4)
                let number = TestPattern.number(in: frame)
                #expect(number.map(UInt64.init) == frame.sequence)
                addresses.append(
                    (frame.sequence, frame.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }))
            }
        }
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(5)) { driver.counts.delivered >= 10 })
        turner.release()
        let bySequence = Dictionary(grouping: addresses.entries) { $0.0 }
        #expect(bySequence.values.allSatisfy { Set($0.map(\.1)).count == 1 })
        #expect(Set(addresses.entries.map(\.1)).count == 1)  // and its memory is used again
    }

    @Test("the bars come out in their colours")
    func colors() throws {
        let (_, sinks, turner) = try camera()
        let pictures = Log<Picture>()
        try sinks.add(.inline) { frame in
            if let picture = try? frame.picture(as: .bgra) { pictures.append(picture) }  // none fails the count below
        }
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(5)) { pictures.count > 0 })
        turner.release()
        let picture = try #require(pictures.entries.first)
        for (index, bar) in TestPattern.bars.enumerated() {
            let column = (index * 2 + 1) * picture.width / 16
            let found = picture.withUnsafeBytes { bytes in
                let place = 100 * picture.stride() + column * 4
                return (Int(bytes[place + 2]), Int(bytes[place + 1]), Int(bytes[place]))
            }
            #expect(abs(found.0 - bar.red) <= 3 && abs(found.1 - bar.green) <= 3 && abs(found.2 - bar.blue) <= 3)
        }
    }

    @Test("a removed sink is not called again, and its thread ends")
    func removal() throws {
        let (driver, sinks, turner) = try camera()
        let calls = Log<UInt64>()
        let sink = try sinks.add(.queued) { calls.append($0.sequence) }
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(5)) { calls.count > 3 })
        sink.remove()
        let before = driver.counts.delivered
        let count = calls.count
        #expect(try turner.turn(for: .seconds(5)) { driver.counts.delivered > before + 50 })
        #expect(calls.count <= count + 1)
        turner.release()
    }

    @Test(.timeLimit(.minutes(1)))
    func newestFramesAsASequence() async throws {
        let (driver, sinks, turner) = try camera(CameraConfiguration(rate: Hertz(500)), pace: .steady)
        let isEnd = Atomic<Bool>(false)
        let frames = try sinks.frames()
        _ = try turner.acquire()
        nonisolated(unsafe) let loop = turner  // touched by that thread alone until it has ended
        let ended = Hold()
        try PosixThread.start("test-camera") {
            while !isEnd.load(ordering: .relaxed) { try? loop.turn(limit: .milliseconds(50)) }
            loop.release()
            ended.open()
        }
        var sequences: [UInt64] = []
        for await frame in frames {
            sequences.append(frame.sequence)
            #expect(frame.withFrame { TestPattern.number(in: $0) }.map(UInt64.init) == frame.sequence)
            if sequences.count == 20 { break }
        }
        isEnd.store(true, ordering: .relaxed)
        ended.pass()
        #expect(sequences == sequences.sorted() && Set(sequences).count == 20)
        #expect(driver.counts.delivered >= 20)
    }
}
