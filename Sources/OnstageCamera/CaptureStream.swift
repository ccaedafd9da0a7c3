internal import CV4L2
internal import OnstageCore

/// One open node with its buffers, from `open` to `close`. *Runs on:* the device's thread alone.
///
/// Whatever step it has come to, ``close(_:)`` undoes it.
final class CaptureStream {
    @exclusivity(unchecked) var kernel: any VideoKernel
    let node: String
    @exclusivity(unchecked) var descriptor: Int32 = -1
    private(set) var capability: Capability?
    /// Asked for each frame.
    @exclusivity(unchecked) private(set) var isMultiPlanar = false
    var format = NodeFormat()
    var rate: Hertz?
    var notes: [String] = []
    // Touched for each frame, without the checks that would cost more than the rest: one thread alone.
    @exclusivity(unchecked) private(set) var buffers: [FrameBuffer] = []
    /// Buffers that the device has to fill.
    @exclusivity(unchecked) var queuedCount = 0
    @exclusivity(unchecked) private(set) var isOn = false
    let ring: BufferRing
    private let pool: ConversionPool
    /// A bit for each buffer that the kernel has.
    @exclusivity(unchecked) var inKernel: UInt32 = 0
    /// libv4l2's memory, when it converts; frames are then copied out of it.
    var converted: [FrameBuffer.Memory] = []
    @exclusivity(unchecked) var freeCopies: UInt32 = 0
    private var hasRequested = false
    /// Whether it was tried to make dma-bufs of the buffers.
    @exclusivity(unchecked) var hasExported = false
    /// Where DQBUF and QBUF write: one place for the whole stream, so that nothing is made for a frame.
    let raw: UnsafeMutablePointer<v4l2_buffer>
    let planes: UnsafeMutablePointer<v4l2_plane>
    static let maximalPlanes = 8

    init(kernel: any VideoKernel, node: String, ring: BufferRing, pool: ConversionPool) {
        self.kernel = kernel
        self.node = node
        self.ring = ring
        self.pool = pool
        raw = .allocate(capacity: 1)
        raw.initialize(to: v4l2_buffer())
        planes = .allocate(capacity: Self.maximalPlanes)
        planes.initialize(repeating: v4l2_plane(), count: Self.maximalPlanes)
    }

    deinit {
        raw.deallocate()
        planes.deallocate()
    }

    var isConverting: Bool { kernel.isConverting }

    // MARK: - Steps of an acquire

    /// Opens the node and asks who it is. *C: `open`, `VIDIOC_QUERYCAP`.*
    func open() throws(DeviceError) {
        let answer = kernel.open(node)
        guard answer >= 0 else { throw fault(-answer, "open") }
        descriptor = answer
        var errno: Int32 = 0
        guard let capability = Capability(kernel, descriptor, fault: &errno) else {
            throw fault(errno, .queryCapability)
        }
        self.capability = capability
        isMultiPlanar = capability.isMultiPlanar
    }

    /// Looks whether another program has the device's buffers; changes nothing where none has. *C: `VIDIOC_REQBUFS`.*
    /// - Throws: `inUse`.
    func checkFree() throws(DeviceError) {
        let answer = requestNone()
        guard answer >= 0 else { throw fault(-answer, .requestBuffers) }
    }

    private func requestNone() -> Int32 {
        var request = v4l2_requestbuffers()
        request.type = VideoFormatDescription.bufferType(isMultiPlanar: isMultiPlanar)
        request.memory = V4L2_MEMORY_MMAP.rawValue
        return kernel.call(descriptor, .requestBuffers, &request)
    }

    /// Gets buffers from the device. *C: `VIDIOC_REQBUFS`.*
    func request(_ count: Int) throws(DeviceError) {
        var request = v4l2_requestbuffers()
        request.count = UInt32(count)
        request.type = VideoFormatDescription.bufferType(isMultiPlanar: isMultiPlanar)
        request.memory = V4L2_MEMORY_MMAP.rawValue
        hasRequested = true
        let answer = kernel.call(descriptor, .requestBuffers, &request)
        guard answer >= 0 else { throw fault(-answer, .requestBuffers) }
        guard (1...32).contains(request.count) else {
            throw DeviceError(
                .tooMany, operation: VideoCall.requestBuffers.rawValue, device: node,
                reason: "the driver gave \(request.count) buffers")
        }
        var layout = format.layout
        layout.rate = rate
        for index in 0..<Int(request.count) {
            let memories = try map(index)
            if kernel.isConverting {
                // libv4l2 takes its memory with it when it closes: readers get copies.
                converted.append(memories[0])
                guard let own = cv4l2_own(memories[0].length) else { throw fault(Errno.ENOMEM, "mmap") }
                let copy = FrameBuffer.Memory(address: own, length: memories[0].length)
                append(FrameBuffer(index: index, layout: layout, memories: [copy], isOwn: true, ring: ring, pool: pool))
                freeCopies |= 1 << UInt32(index)
            } else {
                append(
                    FrameBuffer(index: index, layout: layout, memories: memories, isOwn: false, ring: ring, pool: pool))
            }
        }
    }

    private func append(_ buffer: FrameBuffer) { buffers.append(buffer) }

    /// *C: `VIDIOC_QUERYBUF`, `mmap`.*
    private func map(_ index: Int) throws(DeviceError) -> [FrameBuffer.Memory] {
        prepare(index)
        let answer = kernel.call(descriptor, .queryBuffer, raw)
        guard answer >= 0 else { throw fault(-answer, .queryBuffer) }
        let count = isMultiPlanar ? Int(raw.pointee.length) : 1
        guard (1...4).contains(count) else {
            throw DeviceError(
                .configuration, operation: VideoCall.queryBuffer.rawValue, device: node,
                reason: "\(format.pixelFormat) has \(count) memory planes; 4 are possible",
                advice: "choose another pixel format")
        }
        var memories: [FrameBuffer.Memory] = []
        for plane in 0..<count {
            let length = isMultiPlanar ? planes[plane].length : raw.pointee.length
            let offset = isMultiPlanar ? planes[plane].m.mem_offset : raw.pointee.m.offset
            var errno: Int32 = 0
            guard
                let address = kernel.map(descriptor, length: Int(length), offset: Int64(offset), fault: &errno)
            else {
                for memory in memories { _ = kernel.unmap(memory.address, length: memory.length) }
                throw fault(errno, "mmap")
            }
            memories.append(FrameBuffer.Memory(address: address, length: Int(length)))
        }
        return memories
    }

    /// Queues all buffers that nobody has and starts. *C: `VIDIOC_QBUF`, `VIDIOC_STREAMON`.*
    func start() throws(DeviceError) {
        for buffer in buffers {
            // A converted buffer's readers have copies: libv4l2's own can always be filled.
            if kernel.isConverting || !buffer.isHeld { try queueInKernel(buffer.index) }
        }
        var type = Int32(VideoFormatDescription.bufferType(isMultiPlanar: isMultiPlanar))
        let answer = kernel.call(descriptor, .streamOn, &type)
        guard answer >= 0 else { throw fault(-answer, .streamOn) }
        isOn = true
    }

    /// Takes all buffers from the kernel; also ends an error state of its queue. *C: `VIDIOC_STREAMOFF`.*
    @discardableResult
    func stop() -> Int32 {
        var type = Int32(VideoFormatDescription.bufferType(isMultiPlanar: isMultiPlanar))
        let answer = kernel.call(descriptor, .streamOff, &type)
        isOn = false
        inKernel = 0
        queuedCount = 0
        return answer
    }

    // MARK: - The end

    /// Turns what frames were converted to to zeros, those in use and those that wait to be used again.
    func blankConversions() {
        for buffer in buffers where buffer.isHeld { buffer.blankConversions() }
        pool.blank()
    }

    /// Gives everything back: stream off, mappings, buffers, descriptor, in this order, whatever step was reached.
    ///
    /// Answers how many frames readers still have.
    ///
    /// - Parameter blanksExported: turn to zeros what importers of dma-bufs may read for as long as they like.
    func close(_ policy: KeptFramePolicy, blanksExported: Bool = false) -> Int {
        guard descriptor >= 0 else { return 0 }
        if isOn || hasRequested { stop() }
        var kept = 0
        for buffer in buffers {
            if hasExported {
                if blanksExported, buffer.isExported { buffer.blankMemories() }
                buffer.endLending()
            }
            if buffer.isHeld { kept += 1 }
            if kernel.isConverting {
                if buffer.isHeld, policy == .blank { buffer.detach(.blank, RawKernel()) }
            } else if buffer.isHeld {
                buffer.detach(policy, kernel)
            } else {
                for memory in buffer.memories { _ = kernel.unmap(memory.address, length: memory.length) }
            }
        }
        for memory in converted { _ = kernel.unmap(memory.address, length: memory.length) }
        converted.removeAll()
        buffers.removeAll()
        if hasRequested { _ = requestNone() }
        kernel.close(descriptor)
        descriptor = -1
        return kept
    }

    // MARK: - Errors

    func fault(_ errno: Int32, _ call: VideoCall) -> DeviceError { fault(errno, call.rawValue) }

    func fault(_ errno: Int32, _ operation: String) -> DeviceError {
        CaptureFault.error(errno, operation: operation, node: node)
    }
}
