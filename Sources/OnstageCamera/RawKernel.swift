internal import CLinux
internal import CV4L2

/// The kernel itself.
package struct RawKernel: VideoKernel {
    package init() {}

    package var isConverting: Bool { false }

    package func open(_ node: String) -> Int32 {
        clinux_open(node, O_RDWR | O_NONBLOCK)
    }

    package func close(_ descriptor: Int32) {
        _ = clinux_close(descriptor)
    }

    package func call(_ descriptor: Int32, _ call: VideoCall, _ argument: UnsafeMutableRawPointer) -> Int32 {
        switch call {
        case .queryCapability: cv4l2_querycap(descriptor, argument.assumingMemoryBound(to: v4l2_capability.self))
        case .enumerateFormats: cv4l2_enum_fmt(descriptor, argument.assumingMemoryBound(to: v4l2_fmtdesc.self))
        case .enumerateSizes:
            cv4l2_enum_framesizes(descriptor, argument.assumingMemoryBound(to: v4l2_frmsizeenum.self))
        case .enumerateIntervals:
            cv4l2_enum_frameintervals(descriptor, argument.assumingMemoryBound(to: v4l2_frmivalenum.self))
        case .getFormat: cv4l2_g_fmt(descriptor, argument.assumingMemoryBound(to: v4l2_format.self))
        case .tryFormat: cv4l2_try_fmt(descriptor, argument.assumingMemoryBound(to: v4l2_format.self))
        case .setFormat: cv4l2_s_fmt(descriptor, argument.assumingMemoryBound(to: v4l2_format.self))
        case .getParameters: cv4l2_g_parm(descriptor, argument.assumingMemoryBound(to: v4l2_streamparm.self))
        case .setParameters: cv4l2_s_parm(descriptor, argument.assumingMemoryBound(to: v4l2_streamparm.self))
        case .requestBuffers: cv4l2_reqbufs(descriptor, argument.assumingMemoryBound(to: v4l2_requestbuffers.self))
        case .queryBuffer: cv4l2_querybuf(descriptor, argument.assumingMemoryBound(to: v4l2_buffer.self))
        case .queue: cv4l2_qbuf(descriptor, argument.assumingMemoryBound(to: v4l2_buffer.self))
        case .dequeue: cv4l2_dqbuf(descriptor, argument.assumingMemoryBound(to: v4l2_buffer.self))
        case .streamOn: cv4l2_streamon(descriptor, argument.assumingMemoryBound(to: Int32.self))
        case .streamOff: cv4l2_streamoff(descriptor, argument.assumingMemoryBound(to: Int32.self))
        case .queryControl: cv4l2_queryctrl(descriptor, argument.assumingMemoryBound(to: v4l2_query_ext_ctrl.self))
        case .queryMenu: cv4l2_query_item(descriptor, argument.assumingMemoryBound(to: cv4l2_item.self))
        case .getControl: cv4l2_get_value(descriptor, argument.assumingMemoryBound(to: cv4l2_value.self))
        case .setControl: cv4l2_set_value(descriptor, argument.assumingMemoryBound(to: cv4l2_value.self))
        case .exportBuffer: cv4l2_expbuf(descriptor, argument.assumingMemoryBound(to: v4l2_exportbuffer.self))
        case .mediaInfo: cv4l2_media_info(descriptor, argument.assumingMemoryBound(to: media_device_info.self))
        case .nextEntity: cv4l2_next_entity(descriptor, argument.assumingMemoryBound(to: cv4l2_entity.self))
        case .getLinks: cv4l2_get_links(descriptor, argument.assumingMemoryBound(to: cv4l2_links.self))
        case .setLink: cv4l2_set_link(descriptor, argument.assumingMemoryBound(to: cv4l2_link.self))
        case .setPadFormat: cv4l2_pad_set_fmt(descriptor, argument.assumingMemoryBound(to: v4l2_subdev_format.self))
        case .setPadSelection:
            cv4l2_pad_set_selection(descriptor, argument.assumingMemoryBound(to: v4l2_subdev_selection.self))
        case .setPadInterval:
            cv4l2_pad_set_interval(descriptor, argument.assumingMemoryBound(to: v4l2_subdev_frame_interval.self))
        }
    }

    package func map(
        _ descriptor: Int32, length: Int, offset: Int64, fault: inout Int32
    ) -> UnsafeMutableRawPointer? {
        cv4l2_map(descriptor, length, offset, &fault)
    }

    package func unmap(_ address: UnsafeMutableRawPointer, length: Int) -> Int32 {
        cv4l2_unmap(address, length)
    }

    package func detach(_ address: UnsafeMutableRawPointer, length: Int, copying: Bool) -> Int32 {
        cv4l2_detach(address, length, copying ? 1 : 0)
    }
}
