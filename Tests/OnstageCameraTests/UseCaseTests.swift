import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstageCamera

@Suite("real C: several use cases on one synthetic camera", .serialized)
struct UseCaseTests {
    private func camera(
        _ sinks: FrameSinks, _ configuration: CameraConfiguration = CameraConfiguration(width: 320, height: 240)
    ) throws -> (SyntheticCameraDriver, Turner) {
        let driver = SyntheticCameraDriver(
            configuration: configuration, sinks: sinks, report: { _ in }, pace: .asFastAsTheyCome)
        return (driver, try Turner(driver))
    }

    @Test("preview, analysis and picture from one stream, each of its own size; one conversion for each form")
    func together() throws {
        let sinks = FrameSinks()
        let places = Mutex<[String: Set<Int>]>([:])
        let sizes = Mutex<Set<String>>([])
        func note(_ name: String) -> @Sendable (borrowing Frame) -> Void {
            { frame in
                let (place, size) = (
                    frame.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }, "\(frame.width)x\(frame.height)"
                )
                let key = "\(name) \(frame.sequence)"
                places.withLock { _ = $0[key, default: []].insert(place) }
                sizes.withLock { _ = $0.insert("\(name) \(size)") }
            }
        }
        try sinks.add(.inline, as: .bgra(width: 160, height: 160), note("preview"))
        try sinks.add(.inline, as: .bgra(width: 160, height: 160), note("preview"))
        try sinks.add(.inline, as: .bgra(width: 80, height: 80, scaling: .fill, rotation: .quarter), note("analysis"))
        try sinks.add(.inline, note("native"))
        let (driver, turner) = try camera(sinks)
        let capture = try ImageCapture(sinks)
        let files = Log<Result<PictureFile, ImageCapture.Failure>>()
        let done = try Mailbox<Int>()
        capture.take(skip: 3) {
            files.append($0)
            done.send(1)
        }
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(20)) { driver.counts.delivered >= 10 && files.count == 1 })
        turner.release()
        #expect(sizes.withLock { $0 } == ["preview 160x120", "analysis 80x80", "native 320x240"])
        // Both previews of a frame saw the same memory.
        #expect(places.withLock { places in places.values.allSatisfy { $0.count == 1 } })
        let file = try #require(files.entries.first).get()
        #expect(file.width == 320 && file.height == 240 && file.info.sequence == 3)
        #expect(file.bytes.prefix(2) == [0xff, 0xd8])
    }

    @Test("who waits for a picture when the camera is given back gets none; the next acquire serves who waits then")
    func released() throws {
        let sinks = FrameSinks()
        let (driver, turner) = try camera(sinks)
        let capture = try ImageCapture(sinks)
        let files = Log<Result<PictureFile, ImageCapture.Failure>>()
        _ = try turner.acquire()
        capture.take(skip: 1_000_000) { files.append($0) }
        #expect(try turner.turn(for: .seconds(20)) { driver.counts.delivered > 3 })
        turner.release()
        guard case .failure(.released)? = files.entries.first else {
            Issue.record("\(files.entries)")
            return
        }
        capture.take(.png) { files.append($0) }
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(20)) { files.count == 2 })
        turner.release()
        #expect(try files.entries[1].get().bytes.prefix(4) == [0x89, 0x50, 0x4e, 0x47])
    }

    @Test("a request that is called off, or whose capture goes, is answered; nothing is left in the camera")
    func cancelled() async throws {
        let sinks = FrameSinks()
        var capture: ImageCapture? = try ImageCapture(sinks)
        let files = Log<Result<PictureFile, ImageCapture.Failure>>()
        capture?.take { files.append($0) }
        #expect(sinks.all.count == 1)
        let task = Task { [capture] () async -> ImageCapture.Failure? in
            do throws(ImageCapture.Failure) {
                _ = try await capture?.take()
                return nil
            } catch {
                return error
            }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        capture = nil
        guard case .failure(.cancelled)? = files.entries.first else {
            Issue.record("\(files.entries)")
            return
        }
        #expect(sinks.all.isEmpty)
    }

    @Test("frames say how they have to be turned, and a sink gets them upright")
    func upright() throws {
        let sinks = FrameSinks()
        let seen = Log<String>()
        try sinks.add(.inline, as: .bgra(rotation: .upright)) {
            seen.append("\($0.width)x\($0.height) \($0.info.rotation)")
        }
        var configuration = CameraConfiguration(width: 320, height: 240)
        configuration.rotation = 90
        let (driver, turner) = try camera(sinks, configuration)
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(20)) { driver.counts.delivered > 0 })
        turner.release()
        #expect(seen.entries.first == "240x320 90")
        configuration.rotation = 45
        #expect(throws: DeviceError.self) { try configuration.check() }
    }

    @Test("a sink that lets the camera wait gets every frame in turn, and the camera waits")
    func blocking() throws {
        let sinks = FrameSinks()
        let seen = Log<UInt64>()
        let other = Log<UInt64>()
        let gate = Gate()
        let isOpen = Atomic<Bool>(false)
        try sinks.add(.queued, backpressure: .blockProducer(depth: 3)) { frame in
            gate.lock()
            while !isOpen.load(ordering: .relaxed) { gate.wait() }
            gate.unlock()
            seen.append(frame.sequence)
        }
        try sinks.add(.inline) { other.append($0.sequence) }
        let (driver, turner) = try camera(sinks)
        _ = try turner.acquire()
        // Three are with the sink: however long it goes on, there is no fourth, for nobody.
        #expect(try turner.turn(for: .seconds(20)) { other.count == 3 })
        for _ in 0..<20 { try turner.turn(limit: .milliseconds(1)) }
        #expect(other.count == 3)
        gate.lock()
        isOpen.store(true, ordering: .relaxed)
        gate.wake()
        gate.unlock()
        #expect(try turner.turn(for: .seconds(20)) { seen.count >= 50 })
        turner.release()
        #expect(seen.entries.prefix(50).elementsEqual(0..<50))
        #expect(driver.counts.dropped == 0)
        for sink in sinks.all { sink.remove() }
    }

    @Test("a sink that lets the camera wait and keeps a frame wakes it all the same", .timeLimit(.minutes(1)))
    func blockingAndKeeping() throws {
        let sinks = FrameSinks()
        let kept = Log<KeptFrame>()
        let hold = Hold()
        try sinks.add(.queued, backpressure: .blockProducer(depth: 1)) { frame in
            kept.append(frame.keep())
            if kept.count == 1 { hold.pass() }
        }
        let configuration = CameraConfiguration(width: 320, height: 240, keptFrames: 8)
        let (driver, turner) = try camera(sinks, configuration)
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(20)) { hold.entered.load(ordering: .relaxed) == 1 })
        // The camera waits for the sink, which then goes on: nothing but that may end the wait.
        var wait = WaitSet()
        let mailbox = try Mailbox<Int>()
        wait.add(mailbox.descriptor)
        driver.prepare(&wait)
        #expect(wait.entries.count == 2 && wait.deadline == nil)
        wait.wake(at: .now + .seconds(30))
        hold.open()
        #expect(wait.waitForEvents(SystemClock(), waking: mailbox) == 1)
        try driver.service(wait, now: .now)
        #expect(try turner.turn(for: .seconds(20)) { kept.count >= 5 })
        turner.release()
        #expect(kept.entries.prefix(5).map(\.sequence).elementsEqual(0..<5))
        for sink in sinks.all { sink.remove() }
    }

    @Test("sensitive: nothing of a kept picture stays, converted or not")
    func sensitive() throws {
        let sinks = FrameSinks()
        let kept = Log<KeptFrame>()
        try sinks.add(.inline) { if kept.count < 2 { kept.append($0.keep()) } }
        try sinks.add(.inline, as: .bgra(width: 160, height: 120)) { if kept.count < 4 { kept.append($0.keep()) } }
        var configuration = CameraConfiguration(width: 320, height: 240, keptFrames: 4, keptFramePolicy: .copy)
        configuration.isSensitive = true
        let (_, turner) = try camera(sinks, configuration)
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(20)) { kept.count == 4 })
        #expect(kept.entries.allSatisfy { $0.withFrame { $0.withUnsafeBytes { $0.contains { $0 != 0 } } } })
        turner.release()
        #expect(kept.entries.allSatisfy { $0.withFrame { $0.withUnsafeBytes { $0.allSatisfy { $0 == 0 } } } })
    }
}
