internal import CLinux
internal import CV4L2

/// libv4l2 before the kernel, for a format that the camera lacks. Only after `cv4l2_load()` answered 0.
package struct ConvertingKernel: VideoKernel {
    package init() {}

    package var isConverting: Bool { true }

    package func open(_ node: String) -> Int32 {
        let answer = clinux_open(node, O_RDWR | O_NONBLOCK)
        guard answer >= 0 else { return answer }
        let wrapped = cv4l2_converted_open(answer)
        if wrapped < 0 { _ = clinux_close(answer) }
        return wrapped
    }

    package func close(_ descriptor: Int32) {
        _ = cv4l2_converted_close(descriptor)
    }

    package func call(_ descriptor: Int32, _ call: VideoCall, _ argument: UnsafeMutableRawPointer) -> Int32 {
        switch call {
        case .queryCapability:
            cv4l2_converted_querycap(descriptor, argument.assumingMemoryBound(to: v4l2_capability.self))
        case .enumerateFormats:
            cv4l2_converted_enum_fmt(descriptor, argument.assumingMemoryBound(to: v4l2_fmtdesc.self))
        case .enumerateSizes:
            cv4l2_converted_enum_framesizes(descriptor, argument.assumingMemoryBound(to: v4l2_frmsizeenum.self))
        case .enumerateIntervals:
            cv4l2_converted_enum_frameintervals(descriptor, argument.assumingMemoryBound(to: v4l2_frmivalenum.self))
        case .getFormat: cv4l2_converted_g_fmt(descriptor, argument.assumingMemoryBound(to: v4l2_format.self))
        case .tryFormat: cv4l2_converted_try_fmt(descriptor, argument.assumingMemoryBound(to: v4l2_format.self))
        case .setFormat: cv4l2_converted_s_fmt(descriptor, argument.assumingMemoryBound(to: v4l2_format.self))
        case .getParameters: cv4l2_converted_g_parm(descriptor, argument.assumingMemoryBound(to: v4l2_streamparm.self))
        case .setParameters: cv4l2_converted_s_parm(descriptor, argument.assumingMemoryBound(to: v4l2_streamparm.self))
        case .requestBuffers:
            cv4l2_converted_reqbufs(descriptor, argument.assumingMemoryBound(to: v4l2_requestbuffers.self))
        case .queryBuffer: cv4l2_converted_querybuf(descriptor, argument.assumingMemoryBound(to: v4l2_buffer.self))
        case .queue: cv4l2_converted_qbuf(descriptor, argument.assumingMemoryBound(to: v4l2_buffer.self))
        case .dequeue: cv4l2_converted_dqbuf(descriptor, argument.assumingMemoryBound(to: v4l2_buffer.self))
        case .streamOn: cv4l2_converted_streamon(descriptor, argument.assumingMemoryBound(to: Int32.self))
        case .streamOff: cv4l2_converted_streamoff(descriptor, argument.assumingMemoryBound(to: Int32.self))
        // The camera's own controls, past those that libv4l2 makes up, and what it does not know: its descriptor is the
        // kernel's.
        case .queryControl, .queryMenu, .getControl, .setControl, .exportBuffer, .mediaInfo, .nextEntity, .getLinks,
            .setLink, .setPadFormat, .setPadSelection, .setPadInterval:
            RawKernel().call(descriptor, call, argument)
        }
    }

    package func map(
        _ descriptor: Int32, length: Int, offset: Int64, fault: inout Int32
    ) -> UnsafeMutableRawPointer? {
        cv4l2_converted_map(descriptor, length, offset, &fault)
    }

    package func unmap(_ address: UnsafeMutableRawPointer, length: Int) -> Int32 {
        cv4l2_converted_unmap(address, length)
    }

    package func detach(_ address: UnsafeMutableRawPointer, length: Int, copying: Bool) -> Int32 {
        cv4l2_detach(address, length, copying ? 1 : 0)
    }
}
