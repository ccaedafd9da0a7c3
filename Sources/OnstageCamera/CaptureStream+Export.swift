internal import CLinux
internal import CV4L2
internal import OnstageCore

extension CaptureStream {
    /// Makes dma-bufs of all buffers, for sinks that ask for them; once in an acquire, whether it can or not.
    ///
    /// Answers why there are none, if so: sinks then get their frames without. *C: `VIDIOC_EXPBUF`.*
    /// - Throws: `absent` for a camera that is gone.
    func export() throws(DeviceError) -> String? {
        hasExported = true
        guard !kernel.isConverting else { return Self.unlent("libv4l2 makes them") }
        for buffer in buffers {
            var descriptors: InlineArray<4, Int32> = .init(repeating: -1)
            let answer = export(buffer, to: &descriptors)
            var export = FrameExport(descriptors)
            guard answer < 0 else {
                buffer.lend(export)
                continue
            }
            // Half of a frame's planes is lent to nobody.
            export.end()
            for other in buffers { other.endLending() }
            let fault = self.fault(-answer, .exportBuffer)
            if fault.kind == .absent, -answer != Errno.ENOTTY { throw fault }
            return Self.unlent(
                -answer == Errno.ENOTTY || -answer == Errno.EINVAL
                    ? "the driver does not export its buffers (\(Errno.name(-answer)) from VIDIOC_EXPBUF)" : "\(fault)")
        }
        return nil
    }

    private func export(_ buffer: FrameBuffer, to descriptors: inout InlineArray<4, Int32>) -> Int32 {
        for memory in buffer.memories.indices {
            var request = v4l2_exportbuffer()
            request.type = VideoFormatDescription.bufferType(isMultiPlanar: isMultiPlanar)
            request.index = UInt32(buffer.index)
            request.plane = UInt32(memory)
            // Importers read: nobody but the device writes to a frame.
            request.flags = UInt32(O_CLOEXEC | O_RDONLY)
            let answer = kernel.call(descriptor, .exportBuffer, &request)
            guard answer >= 0 else { return answer }
            descriptors[memory] = request.fd
        }
        return 0
    }

    /// The note that frames come without dma-bufs.
    static func unlent(_ reason: String) -> String { "frames cannot be lent as dma-bufs: \(reason)" }
}
