import Onstage
import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstageCommand

@Suite("real: video files and what is measured, frame by frame", .serialized, .timeLimit(.minutes(1)))
struct VideoFileTests {
    private let scratch = CommandScratch()

    /// One frame of a made-up camera, kept.
    private func frame(_ format: PixelFormat, width: Int = 320) async throws -> KeptFrame {
        let camera = try Camera(
            CameraConfiguration(
                width: width, height: 240, pixelFormat: format, rate: Hertz(100), keptFramePolicy: .copy),
            isSynthetic: true)
        let frames = AsyncStream<KeptFrame>.makeStream()
        try camera.onFrame(.inline) { if $0.sequence == 0 { frames.continuation.yield($0.keep()) } }
        let broker = try Broker()
        let scene = broker.scene("main")
        try scene.bind(camera)
        scene.resume()
        var iterator = frames.stream.makeAsyncIterator()
        let frame = try #require(await iterator.next())
        scene.end()
        await broker.close()
        return frame
    }

    @Test("frames of another size or format end it, and what is in it stays whole")
    func otherFormat() async throws {
        let full = try await frame(.bgra)
        let packed = try await frame(.yuyv)
        let small = try await frame(.bgra, width: 160)
        for (first, other) in [(full, packed), (packed, full), (full, small)] {
            let path = scratch.unique("turn") + ".y4m"
            let ends = Atomic<Int>(0)
            let video = try VideoFile(path, .y4m, limit: 10, quality: 80) { ends.wrappingAdd(1, ordering: .relaxed) }
            for kept in [first, first, other, first] { kept.withFrame { video.take($0) } }
            let end = video.finish()
            #expect(end.frames == 2 && end.error?.kind == .configuration, "\(end)")
            #expect(ends.load(ordering: .relaxed) == 1)
            let file = try TextFile.bytes(path, limit: 1 << 24)
            let head = try #require(file.firstIndex(of: 0x0a)) + 1
            let bytes = first === packed ? 320 * 240 * 2 : 320 * 240 * 3 / 2
            #expect(file.count == head + 2 * (6 + bytes) && Int64(file.count) == end.bytes)
        }
    }

    @Test("one meter for several threads: each frame is counted, the end is told once")
    func measured() async throws {
        let kept = try await frame(.yuyv)
        let (threads, frames) = (4, 200_000)
        let ends = AsyncStream<Void>.makeStream()
        let meter = FrameMeter(limit: threads * frames) { ends.continuation.yield() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<threads {
                group.addTask { for _ in 0..<frames { kept.withFrame { meter.take($0) } } }
            }
        }
        #expect(meter.count == threads * frames)
        kept.withFrame { meter.take($0) }
        #expect(meter.count == threads * frames)
        ends.continuation.finish()
        var told = 0
        for await _ in ends.stream { told += 1 }
        #expect(told == 1)
    }
}
