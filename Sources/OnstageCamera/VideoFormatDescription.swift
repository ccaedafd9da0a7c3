internal import CV4L2

/// How a node is asked for its formats.
enum VideoFormatDescription {
    /// The first native format. *C: `struct v4l2_fmtdesc`.*
    static func first(isMultiPlanar: Bool) -> v4l2_fmtdesc {
        var description = v4l2_fmtdesc()
        description.type = bufferType(isMultiPlanar: isMultiPlanar)
        return description
    }

    /// The buffer type of a capture node.
    static func bufferType(isMultiPlanar: Bool) -> UInt32 {
        (isMultiPlanar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE).rawValue
    }
}
