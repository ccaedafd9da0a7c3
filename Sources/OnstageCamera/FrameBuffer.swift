internal import CV4L2
internal import Glibc
internal import Synchronization

/// What becomes of frames that the app, or a sink, still has when the device is given back.
public enum KeptFramePolicy: String, Hashable, Sendable {
    /// Their pixels turn to zeros: the fastest, and nothing of the picture stays.
    case blank
    /// Their pixels are copied first.
    case copy
}

/// One buffer of a stream: memory that the device fills and that is lent to readers.
///
/// Unchecked: `info` and `used` are written by the device's thread while nobody else has a hold; a hold is handed to
/// another thread through a lock or an atomic and given back through ``holds``.
final class FrameBuffer: @unchecked Sendable {
    /// One piece of memory of a buffer.
    struct Memory {
        let address: UnsafeMutableRawPointer
        let length: Int
    }

    let index: Int
    let layout: FrameLayout
    let memories: [Memory]
    /// Written by the device's thread alone, while there is no hold: there is nothing to check at each access.
    @exclusivity(unchecked) var info = FrameInfo()
    /// Where in each memory the frame begins and how many bytes it has from there; written as ``info`` is.
    @exclusivity(unchecked) var used: InlineArray<4, Used> = .init(repeating: Used())
    struct Used {
        var offset = 0
        var count = 0
    }
    private let ring: BufferRing
    private let holds = Atomic<Int>(0)
    private let isOwn: Atomic<Bool>
    private let conversions = Mutex(FrameConversions())
    private let exported = Mutex(FrameExport())
    private let pool: ConversionPool

    /// - Parameter isOwn: The memory is ours (synthetic or converted frames) and goes with this object.
    init(
        index: Int, layout: FrameLayout, memories: [Memory], isOwn: Bool, ring: BufferRing, pool: ConversionPool
    ) {
        self.index = index
        self.layout = layout
        self.memories = memories
        self.ring = ring
        self.pool = pool
        self.isOwn = Atomic(isOwn)
    }

    var isHeld: Bool { holds.load(ordering: .acquiring) != 0 }

    /// One reader more. Only by who has a hold, or by the device's thread.
    func hold() {
        holds.wrappingAdd(1, ordering: .relaxed)
    }

    /// One reader less; the last one sends the buffer home. *Runs on:* any thread.
    func giveBack() {
        if letGo() { ring.comeHome(index) } else { ring.nudge() }
    }

    /// One reader less; answers whether it was the last. The device's thread queues the buffer itself then.
    func letGo() -> Bool {
        guard holds.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return false }
        conversions.withLock { $0.giveBack(pool) }
        return true
    }

    /// The frame as a sink wants it, made once however many want the same. *Runs on:* any thread with a hold.
    func converted(_ wish: FrameSink.Pixels) throws(ConversionError) -> ConvertedPixels {
        let answer = conversions.withLock { conversions -> Result<ConvertedPixels, ConversionError> in
            do throws(ConversionError) {
                return .success(try conversions.pixels(wish, self, pool))
            } catch {
                return .failure(error)
            }
        }
        return try answer.get()
    }

    /// The bytes of the frame in one memory.
    func bytes(memory: Int) -> UnsafeRawBufferPointer {
        let start = memories[memory].address + used[memory].offset
        return UnsafeRawBufferPointer(start: start, count: used[memory].count)
    }

    /// The bytes of one plane, or all bytes of a frame that is not laid out in planes.
    func bytes(plane: Int) -> UnsafeRawBufferPointer {
        guard !layout.planes.isEmpty else { return bytes(memory: plane) }
        let plane = layout.planes[plane]
        let bytes = bytes(memory: plane.memory)
        // A good frame has them all: short ones never get here.
        return UnsafeRawBufferPointer(rebasing: bytes[plane.offset..<plane.offset + plane.byteCount])
    }

    /// Turns what the frame was converted to to zeros. *Runs on:* the device's thread, at a release.
    func blankConversions() {
        conversions.withLock { $0.blank() }
    }

    /// Takes the device's pages away from under the readers. *Runs on:* the device's thread, after the stream is off.
    func detach(_ policy: KeptFramePolicy, _ kernel: any VideoKernel) {
        for memory in memories {
            _ = kernel.detach(memory.address, length: memory.length, copying: policy == .copy)
        }
        isOwn.store(true, ordering: .releasing)
    }

    /// Makes the dma-bufs of its memories ours to lend. *Runs on:* the device's thread, once.
    func lend(_ export: FrameExport) {
        exported.withLock { $0 = export }
    }

    /// The dma-bufs, for the time until ``finishReading()``; nil when there are none (any more). *Runs on:* any thread with
    /// a hold.
    func beginReading() -> InlineArray<4, Int32>? {
        exported.withLock { $0.begin() ? $0.descriptors : nil }
    }

    func finishReading() {
        exported.withLock { $0.finish() }
    }

    /// Whether an importer may have this memory.
    var isExported: Bool { exported.withLock { $0.isOpen } }

    /// Closes the dma-bufs, or leaves that to whoever reads one now. *Runs on:* the device's thread.
    func endLending() {
        exported.withLock { $0.end() }
    }

    /// Turns the device's own pages to zeros, under all who have them. *Runs on:* the device's thread, after the stream is
    /// off and before ``detach(_:_:)``. *C: `DMA_BUF_IOCTL_SYNC`.*
    func blankMemories() {
        let descriptors = exported.withLock(\.descriptors)
        for (index, memory) in memories.enumerated() {
            memset(memory.address, 0, memory.length)
            // Where the CPU's cache is its own, an importer would go on to see the picture.
            _ = cv4l2_flush_dma_buffer(descriptors[index])
        }
    }

    deinit {
        exported.withLock { $0.end() }
        guard isOwn.load(ordering: .acquiring) else { return }
        for memory in memories { _ = cv4l2_unmap(memory.address, memory.length) }
    }
}
