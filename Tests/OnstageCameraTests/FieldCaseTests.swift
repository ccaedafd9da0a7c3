import CV4L2
import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstageCamera

@Suite("scripts: cases from the field against a played kernel")
struct FieldCaseTests {
    /// A grey picture as a camera would make it.
    private func jpeg(_ light: UInt8) throws -> [UInt8] {
        let pixels = ConvertedPixels(width: 64, height: 48)
        for index in 0..<pixels.byteCount { pixels.pixels[index] = index % 4 == 3 ? 255 : light }
        return try PictureEncoder.encode(pixels, .jpeg(quality: 90))
    }

    @Test("V-13: of pictures that are cut short, empty or padded the whole ones are handed on, without the padding")
    func jpegs() throws {
        let camera = PlayedCamera(CameraConfiguration(width: 64, height: 48, pixelFormat: .mjpeg))
        camera.kernel.state.withLock {
            $0.sizes = [(64, 48)]
            $0.formats = ["MJPG"]
        }
        let files = Log<[UInt8]>()
        let lights = Log<Int>()
        try camera.sinks.add(.inline) { frame in
            if let file = try? frame.file() { files.append(file.bytes) }  // none fails the count below
        }
        try camera.sinks.add(.inline, as: .bgra) { frame in
            lights.append(frame.withUnsafeBytes { Int($0[frame.stride * 24 + 32 * 4]) })
        }
        try camera.acquire()
        func give(_ number: UInt32, _ data: [UInt8], bytes: Int? = nil) throws {
            camera.advance(.milliseconds(33))
            camera.kernel.give(.init(sequence: number, stamp: camera.now.nanoseconds, bytes: bytes, data: data))
            try camera.turn()
        }
        let (dark, light) = (try jpeg(40), try jpeg(200))
        // All buffers hold a whole picture: what a shorter one leaves of it must not count.
        for number in 0..<4 as Range<UInt32> { try give(number, dark) }
        #expect(camera.driver.counts.delivered == 4 && camera.driver.counts.bad == 0)
        let bad: [[UInt8]] = [
            Array(light.prefix(light.count / 10)), Array(light.prefix(light.count / 2)),
            Array(light.prefix(light.count * 99 / 100)), Array(light.dropLast(2)), [], [0xff], [0xff, 0xd8],
            Array(light.dropFirst(2)), Array(repeating: 0, count: light.count),
            Array(repeating: 0xff, count: light.count),
        ]
        for (index, data) in bad.enumerated() {
            try give(4 + UInt32(index), data)
            #expect(camera.driver.counts.bad == UInt64(index + 1), "\(index)")
        }
        // `bytesused` counts, not what stands in the memory.
        try give(14, light, bytes: light.count - 1)
        #expect(camera.driver.counts.bad == 11 && camera.driver.counts.delivered == 4)
        for (index, padding) in [[], [0, 0, 0], [0xff, 0xff], [0xff, 0xff, 0, 0]].enumerated()
            as EnumeratedSequence<[[UInt8]]>
        {
            try give(15 + UInt32(index), light + padding)
        }
        #expect(camera.driver.counts.delivered == 8 && camera.driver.counts.bad == 11)
        #expect(files.entries == Array(repeating: dark, count: 4) + Array(repeating: light, count: 4))
        #expect(lights.entries.map { $0 < 100 } == Array(repeating: true, count: 4) + Array(repeating: false, count: 4))
        camera.release()
        #expect(camera.kernel.isClean)
    }

    @Test("V-13: pictures with damage inside never end the stream: each is shown or said not to be", arguments: [7, 8])
    func damaged(seed: UInt64) throws {
        let camera = PlayedCamera(CameraConfiguration(width: 64, height: 48, pixelFormat: .mjpeg))
        camera.kernel.state.withLock {
            $0.sizes = [(64, 48)]
            $0.formats = ["MJPG"]
        }
        let shown = Log<UInt64>()
        try camera.sinks.add(.inline, as: .bgra) { shown.append($0.sequence) }
        try camera.acquire()
        var chance = SplitMix64(seed: seed)
        let whole = try jpeg(128)
        for number in 0..<200 as Range<UInt32> {
            var data = whole
            for _ in 0..<Int.random(in: 1...8, using: &chance) {
                data[Int.random(in: 2..<data.count - 2, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
            }
            let gap = Int.random(in: 2..<data.count - 2, using: &chance)
            data.removeSubrange(gap..<Int.random(in: gap..<data.count - 2, using: &chance))
            camera.advance(.milliseconds(33))
            camera.kernel.give(.init(sequence: number, stamp: camera.now.nanoseconds, data: data))
            try camera.turn()
        }
        #expect(camera.driver.counts.delivered + camera.driver.counts.bad == 200)
        #expect(camera.recovered.isEmpty)
        let notes = camera.reports.entries.count { if case .note = $0 { true } else { false } }
        #expect(shown.count + notes == Int(camera.driver.counts.delivered))
        camera.release()
        #expect(camera.kernel.isClean)
    }

    @Test("V-22: a node that is a camera only while somebody feeds it is waited for, at the search and at the acquire")
    func producer() throws {
        let scratch = Scratch(name: "onstage-camera")
        defer { withExtendedLifetime(scratch) {} }
        let folder = scratch.path
        scratch.file("video0")
        let kernel = PlayedKernel()
        let (fed, unfed) = (
            UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING), UInt32(V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_STREAMING)
        )
        func feed(_ isFed: Bool) { kernel.state.withLock { $0.caps = isFed ? fed : unfed } }
        kernel.state.withLock { $0.driver = "v4l2 loopback" }
        let driver = CameraDriver(
            configuration: CameraConfiguration(), sinks: FrameSinks(), report: { _ in }, kernel: kernel,
            finder: CameraFinder(kernel: kernel, sys: "\(folder)/sys", dev: folder, udev: "\(folder)/udev"))
        func absent(_ text: String, _ body: () throws -> Void) {
            let error = #expect(throws: DeviceError.self, performing: body)
            #expect(error?.kind == .absent && error?.description.contains(text) == true, "\(String(describing: error))")
            #expect(kernel.isClean)
        }
        for _ in 0..<3 {
            feed(false)
            absent("nothing is fed") { _ = try driver.resolve() }
            feed(true)
            let device = try driver.resolve()
            _ = try driver.acquire(device, NeverCancelled())
            _ = driver.release(ReleaseRequest(asked: .now, hurried: false), now: .now)
            #expect(kernel.isClean)
            // It goes between the look and the acquire.
            let again = try driver.resolve()
            feed(false)
            absent("no camera for the moment") { _ = try driver.acquire(again, NeverCancelled()) }
        }
    }

    @Test("V-23: a second reader is told that it is in use; the format that is fixed is taken, and said")
    func secondReader() throws {
        let camera = PlayedCamera(CameraConfiguration(width: 640, height: 480, pixelFormat: .nv12))
        camera.kernel.state.withLock {
            $0.sizes = [(320, 240)]
            $0.formats = ["YUYV"]
            $0.rates = [1]
        }
        for step in [VideoCall.setFormat, .requestBuffers, .streamOn] {
            camera.kernel.fail(step, Errno.EBUSY)
            let error = #expect(throws: DeviceError.self) { try camera.acquire() }
            #expect(error?.kind == .inUse && camera.kernel.isClean)
        }
        let acquired = try camera.acquire()
        for text in ["asked for 640x480, 320x240 is set", "asked for NV12, YUYV is set"] {
            #expect(acquired.notes.contains(text), "\(acquired.notes)")
        }
        #expect(acquired.format.contains { $0.name == "width" && $0.value == .integer(320) })
        camera.release()
        #expect(camera.kernel.isClean)
    }

    @Test("V-23: the same frame again and again is no stream: it is not handed on, and the stall is found all the same")
    func sameFrame() throws {
        let camera = PlayedCamera()
        let seen = Log<UInt64>()
        try camera.sinks.add(.inline) { seen.append($0.sequence) }
        try camera.acquire()
        try camera.frames([0])
        let stamp = camera.now.nanoseconds
        for _ in 0..<9 {
            camera.advance(.milliseconds(100))
            camera.kernel.give(.init(sequence: 0, stamp: stamp))
            try camera.turn()
        }
        #expect(camera.recovered.isEmpty)
        for _ in 0..<2 {
            camera.advance(.milliseconds(100))
            camera.kernel.give(.init(sequence: 0, stamp: stamp))
            try camera.turn()
        }
        #expect(camera.recovered.map(\.kind) == [.stalled])
        #expect(seen.entries == [0])
        try camera.frames([7])
        #expect(seen.count == 2 && camera.driver.counts.delivered == 2)
        // For ever it is an error, as any stall.
        let last = camera.now.nanoseconds
        let error = #expect(throws: DeviceError.self) {
            for _ in 0..<50 {
                camera.advance(.milliseconds(100))
                camera.kernel.give(.init(sequence: 7, stamp: last))
                try camera.turn()
            }
        }
        #expect(error?.kind == .stalled && seen.count == 2 && camera.recovered.count == 3)
        camera.release()
        #expect(camera.kernel.isClean)
    }
}
