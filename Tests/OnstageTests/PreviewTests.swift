import Onstage
import OnstageCore
import Synchronization
import Testing

/// Real threads and a made-up camera: what a person would see, and when the app hears of it.
@Suite("real: a preview's shade", .timeLimit(.minutes(2))) struct PreviewTests {
    /// What was shown and heard, in order.
    private final class Seen: SceneObserver {
        private let lines = Mutex<[String]>([])
        private let arrivals = AsyncStream<Void>.makeStream()

        func add(_ line: String) {
            lines.withLock { $0.append(line) }
            arrivals.continuation.yield()
        }

        /// A picture, or a shade: every pixel black and opaque, and no byte between the rows.
        func show(_ name: String, _ frame: borrowing Frame) {
            let isWhole = frame.pixelFormat == .bgra && frame.stride == frame.width * 4
            let isShade = frame.withUnsafeBytes { bytes in
                bytes.count == frame.width * frame.height * 4
                    && bytes.indices.allSatisfy { bytes[$0] == ($0 % 4 == 3 ? 255 : 0) }
            }
            let size = "\(frame.width)x\(frame.height)"
            add("\(name) \(isShade && isWhole ? "shade" : "picture") \(size)")
        }

        var all: [String] { lines.withLock { $0 } }

        /// Waits until what has come is enough.
        func wait(_ isEnough: ([String]) -> Bool) async {
            if isEnough(all) { return }
            for await _ in arrivals.stream where isEnough(all) { return }
        }

        func didBecomeActive(_ scene: Scene) { add("active") }
        func willResignActive(_ scene: Scene) { add("inactive") }
    }

    @Test("everyone is black, in the stream's size, before anybody hears that the scene is inactive; and stays so")
    func blackFirst() async throws {
        // The camera streams on while the scene is inactive: pictures come that nobody may see.
        let camera = try Camera(CameraConfiguration(width: 320, height: 240, rate: Hertz(60)), isSynthetic: true)
        let broker = try Broker()
        let scene = broker.scene("main")
        let seen = Seen()
        let frames = Atomic<Int>(0)
        let arrivals = AsyncStream<Void>.makeStream()
        let whole = try Preview(camera) { seen.show("whole", $0) }
        let small = try Preview(camera, width: 160, height: 160) { seen.show("small", $0) }
        try camera.onFrame(as: .bgra) { _ in
            frames.wrappingAdd(1, ordering: .relaxed)
            arrivals.continuation.yield()
        }
        scene.add(whole)
        scene.add(small)
        scene.add(seen)
        try scene.bind(camera, while: .visible)
        for cycle in 1...5 {
            let before = seen.all.count
            scene.resume()
            await seen.wait { lines in
                let new = lines.dropFirst(before)
                return ["active", "whole picture 320x240", "small picture 160x120"].allSatisfy(new.contains)
            }
            scene.pause()
            await seen.wait { $0.count { $0 == "inactive" } == cycle }
            let count = frames.load(ordering: .relaxed)
            for await _ in arrivals.stream where frames.load(ordering: .relaxed) >= count + 5 { break }
            let lines = seen.all.dropFirst(before)
            let inactive = try #require(lines.lastIndex(of: "inactive"))
            #expect(lines[inactive...].elementsEqual(["inactive"]), "\(lines[inactive...])")
            for (name, size) in [("whole", "320x240"), ("small", "160x120")] {
                let own = lines.filter { $0.hasPrefix(name) }
                #expect(own.count { $0.contains("shade") } == 1 && own.last == "\(name) shade \(size)", "\(own)")
                #expect(own.dropLast().allSatisfy { $0 == "\(name) picture \(size)" }, "\(own)")
            }
        }
        await broker.close()
    }

    @Test("of a preview that has shown nothing yet the shade has the size that was wished")
    func nothingShown() async throws {
        let camera = try Camera(isSynthetic: true)
        let broker = try Broker()
        let scene = broker.scene("main")
        let seen = Seen()
        let preview = try Preview(camera, width: 64, height: 48) { seen.show("preview", $0) }
        scene.add(preview)
        scene.add(seen)
        scene.resume()
        await seen.wait { $0 == ["active"] }
        scene.pause()
        await seen.wait { $0.contains("inactive") }
        #expect(seen.all == ["active", "preview shade 64x48", "inactive"])
        await broker.close()
    }
}
