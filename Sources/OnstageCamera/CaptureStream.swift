internal import CV4L2
internal import OnstageCore

/// One open node with its buffers, from `open` to `close`. *Runs on:* the device's thread alone.
///
/// Whatever step it has come to, ``close(_:)`` undoes it.
final class CaptureStream {
    private(set) var kernel: any VideoKernel
    let node: String
    private(set) var descriptor: Int32 = -1
    private(set) var capability: Capability?
    private(set) var format = NodeFormat()
    private(set) var rate: Hertz?
    private(set) var notes: [String] = []
    private(set) var buffers: [FrameBuffer] = []
    /// Buffers that the device has to fill.
    private(set) var queuedCount = 0
    private(set) var isOn = false
    let ring: BufferRing
    private let pool: ConversionPool
    /// A bit for each buffer that the kernel has.
    private var inKernel: UInt32 = 0
    /// libv4l2's memory, when it converts; frames are then copied out of it.
    private var converted: [FrameBuffer.Memory] = []
    private var freeCopies: UInt32 = 0
    private var hasRequested = false
    /// Where DQBUF and QBUF write: one place for the whole stream, so that nothing is made for a frame.
    private let raw: UnsafeMutablePointer<v4l2_buffer>
    private let planes: UnsafeMutablePointer<v4l2_plane>
    private static let maximalPlanes = 8

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

    private var isMultiPlanar: Bool { capability?.isMultiPlanar ?? false }
    var isConverting: Bool { kernel.isConverting }

    func note(_ more: [String]) { notes += more }

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
    }

    /// Sets size, format and rate as near to the wish as the camera can, and reads back what is set.
    ///
    /// - Parameter converting: libv4l2, asked for only when the camera lacks the wanted format.
    func configure(
        _ wish: CameraConfiguration, converting: () -> (any VideoKernel)?, armed: (Int32) -> Void
    ) throws(DeviceError) {
        try set(wish, wish.pixelFormat ?? .yuyv)
        if let wanted = wish.pixelFormat {
            if format.pixelFormat != wanted, wish.allowsConversion, !isMultiPlanar {
                try convert(wish, to: wanted, converting, armed)
            }
        } else if !isFit(wish), !format.pixelFormat.isJPEG {
            // A USB camera often has the size or the rate in JPEG only.
            let plain = format.pixelFormat
            try set(wish, .mjpeg)
            if format.pixelFormat != .mjpeg || !isFit(wish) { try set(wish, plain) }
        }
        let setting = Negotiation.Setting(
            width: format.width, height: format.height, pixelFormat: format.pixelFormat, rate: rate)
        let outcome = Negotiation(wish: wish, set: setting)
        if case .impossible(let reasons) = outcome {
            throw DeviceError(
                .configuration, operation: VideoCall.setFormat.rawValue, device: node,
                reason: reasons.joined(separator: "; "), advice: "ask for what it has, or let it be adjusted")
        }
        notes += outcome.reasons
    }

    private func isFit(_ wish: CameraConfiguration) -> Bool {
        let setting = Negotiation.Setting(
            width: format.width, height: format.height, pixelFormat: format.pixelFormat, rate: rate)
        return Negotiation(wish: wish, set: setting) == .exact
    }

    private func set(_ wish: CameraConfiguration, _ pixelFormat: PixelFormat) throws(DeviceError) {
        var errno: Int32 = 0
        guard
            let set = NodeFormat.set(
                kernel, descriptor, isMultiPlanar: isMultiPlanar, width: wish.width ?? 640, height: wish.height ?? 480,
                pixelFormat: pixelFormat, fault: &errno)
        else { throw fault(errno, .setFormat) }
        format = set
        rate = NodeFormat.rate(kernel, descriptor, isMultiPlanar: isMultiPlanar, wish: wish.rate)
    }

    /// Opens the node anew through libv4l2, and back again when that has not the format either.
    private func convert(
        _ wish: CameraConfiguration, to wanted: PixelFormat, _ converting: () -> (any VideoKernel)?,
        _ armed: (Int32) -> Void
    ) throws(DeviceError) {
        guard let library = converting() else {
            notes.append("\(wanted) would have to be converted, but \(String(cString: cv4l2_missing()))")
            return
        }
        let plain = kernel
        try reopen(library, armed)
        try set(wish, wanted)
        if format.pixelFormat == wanted { return }
        try reopen(plain, armed)
        try set(wish, wanted)
    }

    private func reopen(_ other: any VideoKernel, _ armed: (Int32) -> Void) throws(DeviceError) {
        armed(-1)
        kernel.close(descriptor)
        descriptor = -1
        kernel = other
        try open()
        armed(descriptor)
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
        let layout = format.layout
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

    // MARK: - Frames

    /// What a dequeue came to.
    enum Dequeued {
        /// The buffer, which is ours now; in ``FrameBuffer/used`` is what the device filled.
        case buffer(Raw)
        /// None is ready.
        case none
        case failed(Int32)
    }

    /// What the kernel says of one frame.
    struct Raw {
        var index: Int
        var flags: UInt32
        var sequence: UInt32
        /// As the device stamped it, in nanoseconds.
        var stamp: Int64
        /// No reader's place was free for a copy.
        var isUnplaced = false
        var isError: Bool { flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0 }
        var isMonotonic: Bool {
            flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        }
        var isStartOfExposure: Bool {
            flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE)
        }
    }

    /// *C: `VIDIOC_DQBUF`.*
    func dequeue() -> Dequeued {
        prepare(0)
        let answer = kernel.call(descriptor, .dequeue, raw)
        if answer == -Errno.EAGAIN { return .none }
        guard answer >= 0 else { return .failed(-answer) }
        let index = Int(raw.pointee.index)
        // A buffer that the kernel was not given is a driver's mistake: nothing may be read through it.
        guard index < buffers.count, inKernel & (1 << UInt32(index)) != 0 else { return .failed(Errno.EIO) }
        inKernel &= ~(1 << UInt32(index))
        queuedCount -= 1
        let stamp = raw.pointee.timestamp
        var frame = Raw(
            index: index, flags: raw.pointee.flags, sequence: raw.pointee.sequence,
            stamp: Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_usec) * 1000)
        if kernel.isConverting { return copyOut(&frame) }
        let buffer = buffers[index]
        var plane = 0
        while plane < buffer.memories.count {
            let length = buffer.memories[plane].length
            let bytes = isMultiPlanar ? Int(planes[plane].bytesused) : Int(raw.pointee.bytesused)
            let offset = isMultiPlanar ? Int(planes[plane].data_offset) : 0
            // Never more than there is, whatever the driver says.
            buffer.used[plane].offset = min(offset, length)
            buffer.used[plane].count = max(0, min(bytes, length) - min(offset, length))
            plane += 1
        }
        return .buffer(frame)
    }

    /// Copies libv4l2's frame to where it may stay, and gives its buffer back at once.
    private func copyOut(_ frame: inout Raw) -> Dequeued {
        let from = converted[frame.index]
        let count = min(Int(raw.pointee.bytesused), from.length)
        let place = freeCopies.trailingZeroBitCount
        let source = frame.index
        if place < buffers.count {
            freeCopies &= ~(1 << UInt32(place))
            let buffer = buffers[place]
            buffer.memories[0].address.copyMemory(from: from.address, byteCount: min(count, buffer.memories[0].length))
            buffer.used[0] = FrameBuffer.Used(offset: 0, count: count)
            frame.index = place
        } else {
            frame.isUnplaced = true
        }
        do throws(DeviceError) {
            try queueInKernel(source)
        } catch {
            return .failed(error.errno ?? Errno.EIO)
        }
        return .buffer(frame)
    }

    /// A buffer that nobody has any more may be filled again.
    func queue(_ index: Int) throws(DeviceError) {
        if kernel.isConverting {
            freeCopies |= 1 << UInt32(index)
        } else if isOn {
            try queueInKernel(index)
        }
    }

    /// The same for all that have come home, one bit each.
    func queue(home bits: UInt32) throws(DeviceError) {
        var rest = bits
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest - 1
            if inKernel & (1 << UInt32(index)) == 0 || kernel.isConverting { try queue(index) }
        }
    }

    /// *C: `VIDIOC_QBUF`.*
    private func queueInKernel(_ index: Int) throws(DeviceError) {
        prepare(index)
        var answer = kernel.call(descriptor, .queue, raw)
        if answer == -Errno.EINVAL || answer == -Errno.EIO {
            // Once more: a driver that refuses one buffer for the moment must not cost the stream.
            prepare(index)
            answer = kernel.call(descriptor, .queue, raw)
        }
        guard answer >= 0 else { throw fault(-answer, .queue) }
        inKernel |= 1 << UInt32(index)
        queuedCount += 1
    }

    private func prepare(_ index: Int) {
        raw.pointee = v4l2_buffer()
        raw.pointee.index = UInt32(index)
        raw.pointee.type = VideoFormatDescription.bufferType(isMultiPlanar: isMultiPlanar)
        raw.pointee.memory = V4L2_MEMORY_MMAP.rawValue
        if isMultiPlanar {
            planes.update(repeating: v4l2_plane(), count: Self.maximalPlanes)
            raw.pointee.m.planes = planes
            raw.pointee.length = UInt32(Self.maximalPlanes)
        }
    }

    // MARK: - The end

    /// Gives everything back: stream off, mappings, buffers, descriptor, in this order, whatever step was reached.
    ///
    /// Answers how many frames readers still have.
    func close(_ policy: KeptFramePolicy) -> Int {
        guard descriptor >= 0 else { return 0 }
        if isOn || hasRequested { stop() }
        var kept = 0
        for buffer in buffers {
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
        if hasRequested {
            var request = v4l2_requestbuffers()
            request.type = VideoFormatDescription.bufferType(isMultiPlanar: isMultiPlanar)
            request.memory = V4L2_MEMORY_MMAP.rawValue
            _ = kernel.call(descriptor, .requestBuffers, &request)
        }
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
