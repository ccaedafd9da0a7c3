internal import CV4L2
internal import OnstageCore

extension CaptureStream {
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
            // What a broken driver stamps must not trap.
            stamp: Int64(stamp.tv_sec) &* 1_000_000_000 &+ Int64(stamp.tv_usec) &* 1000)
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
    func queueInKernel(_ index: Int) throws(DeviceError) {
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

    func prepare(_ index: Int) {
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
}
