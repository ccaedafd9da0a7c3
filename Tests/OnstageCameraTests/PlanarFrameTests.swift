import CV4L2
import OnstageCore
import Testing

@testable import OnstageCamera

@Suite("tables: frames as planes of a video file")
struct PlanarFrameTests {
    /// A frame of 6 × 4 pixels, all of Y 10, Cb 20, Cr 30.
    ///
    /// - Parameter sizes: bytes of its memory, as the driver would say.
    private func buffer(_ format: PixelFormat, _ strides: [Int], _ sizes: [Int]) throws -> FrameBuffer {
        let layout = FrameLayout(width: 6, height: 4, pixelFormat: format, strides: strides, sizes: sizes)
        let memories = try sizes.map { FrameBuffer.Memory(address: try #require(cv4l2_own($0)), length: $0) }
        let buffer = FrameBuffer(
            index: 0, layout: layout, memories: memories, isOwn: true, ring: BufferRing(bell: HomeBell()),
            pool: ConversionPool())
        let (y, u, v): (UInt8, UInt8, UInt8) = (10, 20, 30)
        for (index, memory) in memories.enumerated() {
            buffer.used[index] = FrameBuffer.Used(offset: 0, count: memory.length)
            let bytes = memory.address.bindMemory(to: UInt8.self, capacity: memory.length)
            for at in 0..<memory.length {
                switch format {
                case .yuyv: bytes[at] = [y, u, y, v][at % 4]
                case .uyvy: bytes[at] = [u, y, v, y][at % 4]
                case .nv12, .nv12m: bytes[at] = index == 0 && at < 24 ? y : [u, v][at % 2]
                default: bytes[at] = index == 0 && at < 24 ? y : [v, u][at % 2]
                }
            }
        }
        return buffer
    }

    @Test(
        "one pass brings each sample to its plane",
        arguments: [
            (.yuyv, [12], [48], .i422), (.uyvy, [12], [48], .i422), (.nv12, [6], [36], .i420),
            (.nv21, [6], [36], .i420), (.nv12m, [6, 6], [24, 12], .i420), (.nv21m, [6, 6], [24, 12], .i420),
        ] as [(PixelFormat, [Int], [Int], PlanarFrame.Sampling)])
    func planes(format: PixelFormat, strides: [Int], sizes: [Int], sampling: PlanarFrame.Sampling) throws {
        let frame = Frame(buffer: try buffer(format, strides, sizes))
        let planes = PlanarFrame(like: frame)
        try planes.fill(frame)
        let chroma = sampling == .i422 ? 12 : 6
        #expect(planes.form.sampling == sampling && !planes.form.isFullRange)
        #expect(
            planes.bytes.elementsEqual(
                Array(repeating: 10, count: 24) + Array(repeating: 20, count: chroma)
                    + Array(repeating: 30, count: chroma)))
    }

    @Test("memory that was made for one format is never filled from another")
    func otherFormat() throws {
        let (packed, pairs) = (try buffer(.yuyv, [12], [48]), try buffer(.nv12, [6], [36]))
        let ofPairs = PlanarFrame(like: Frame(buffer: pairs))
        try ofPairs.fill(Frame(buffer: pairs))
        #expect(throws: ConversionError.self) { try ofPairs.fill(Frame(buffer: packed)) }
        let ofPacked = PlanarFrame(like: Frame(buffer: packed))
        #expect(throws: ConversionError.self) { try ofPacked.fill(Frame(buffer: pairs)) }
        try ofPacked.fill(Frame(buffer: packed))
        let converted = try packed.converted(.bgra)
        #expect(throws: ConversionError.self) {
            try ofPairs.fill(Frame(buffer: packed, converted: converted))
        }
        #expect(throws: ConversionError.self) {
            try ofPacked.fill(Frame(buffer: packed, converted: converted))
        }
    }

    @Test(
        "a frame whose planes are not all in its memory is refused",
        arguments: [(.nv12, [6], [30]), (.nv12m, [6], [24]), (.yuyv, [12], [40])] as [(PixelFormat, [Int], [Int])])
    func withoutPlanes(format: PixelFormat, strides: [Int], sizes: [Int]) throws {
        let frame = Frame(buffer: try buffer(format, strides, sizes))
        let planes = PlanarFrame(like: frame)
        #expect(throws: ConversionError.self) { try planes.fill(frame) }
    }
}
