internal import CV4L2
internal import OnstageCore

/// A format as a node takes and gives it, single- or multi-planar alike.
struct NodeFormat {
    var width = 0
    var height = 0
    var pixelFormat = PixelFormat.yuyv
    var color = ColorEncoding()
    /// Bytes from row to row, for each memory.
    var strides: [Int] = []
    /// Bytes of each memory.
    var sizes: [Int] = []

    init() {}

    /// Sets a format and reads back what the driver made of it. *C: `VIDIOC_S_FMT`.*
    static func set(
        _ kernel: any VideoKernel, _ descriptor: Int32, isMultiPlanar: Bool, width: Int, height: Int,
        pixelFormat: PixelFormat, fault: inout Int32
    ) -> NodeFormat? {
        var format = v4l2_format()
        format.type = VideoFormatDescription.bufferType(isMultiPlanar: isMultiPlanar)
        if isMultiPlanar {
            format.fmt.pix_mp.width = UInt32(width)
            format.fmt.pix_mp.height = UInt32(height)
            format.fmt.pix_mp.pixelformat = pixelFormat.code
            format.fmt.pix_mp.field = V4L2_FIELD_NONE.rawValue
        } else {
            format.fmt.pix.width = UInt32(width)
            format.fmt.pix.height = UInt32(height)
            format.fmt.pix.pixelformat = pixelFormat.code
            format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        }
        let answer = kernel.call(descriptor, .setFormat, &format)
        guard answer >= 0 else {
            fault = -answer
            return nil
        }
        return NodeFormat(format, isMultiPlanar: isMultiPlanar)
    }

    private init(_ format: v4l2_format, isMultiPlanar: Bool) {
        if isMultiPlanar {
            let pixels = format.fmt.pix_mp
            width = Int(pixels.width)
            height = Int(pixels.height)
            pixelFormat = PixelFormat(code: pixels.pixelformat)
            withUnsafeBytes(of: pixels.plane_fmt) { bytes in
                let planes = bytes.bindMemory(to: v4l2_plane_pix_format.self)
                for plane in planes.prefix(Int(pixels.num_planes)) {
                    strides.append(Int(plane.bytesperline))
                    sizes.append(Int(plane.sizeimage))
                }
            }
            color = ColorEncoding(
                colorspace: pixels.colorspace, encoding: UInt32(pixels.ycbcr_enc),
                quantization: UInt32(pixels.quantization), isRGB: pixelFormat.isFullByDefault)
        } else {
            let pixels = format.fmt.pix
            width = Int(pixels.width)
            height = Int(pixels.height)
            pixelFormat = PixelFormat(code: pixels.pixelformat)
            strides = [Int(pixels.bytesperline)]
            sizes = [Int(pixels.sizeimage)]
            // Old drivers leave what is behind `priv` alone.
            let hasMore = pixels.priv == UInt32(V4L2_PIX_FMT_PRIV_MAGIC)
            color = ColorEncoding(
                colorspace: pixels.colorspace, encoding: hasMore ? pixels.ycbcr_enc : 0,
                quantization: hasMore ? pixels.quantization : 0, isRGB: pixelFormat.isFullByDefault)
        }
    }

    var layout: FrameLayout {
        FrameLayout(
            width: width, height: height, pixelFormat: pixelFormat, color: color, strides: strides, sizes: sizes)
    }

    /// Sets the rate, or only asks for it; nil when the node has none. *C: `VIDIOC_S_PARM`, `VIDIOC_G_PARM`.*
    static func rate(
        _ kernel: any VideoKernel, _ descriptor: Int32, isMultiPlanar: Bool, wish: Hertz?
    ) -> Hertz? {
        var parameters = v4l2_streamparm()
        parameters.type = VideoFormatDescription.bufferType(isMultiPlanar: isMultiPlanar)
        if let wish {
            let thousandths = UInt32((wish.value * 1000).rounded())
            parameters.parm.capture.timeperframe = v4l2_fract(numerator: 1000, denominator: thousandths)
        }
        let answer = kernel.call(descriptor, wish == nil ? .getParameters : .setParameters, &parameters)
        let capture = parameters.parm.capture
        guard answer >= 0, capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0 else { return nil }
        return Hertz(capture.timeperframe)
    }
}

extension PixelFormat {
    /// Whether black is 0 and white 255 where the driver does not say: grey cameras count light, not video levels.
    var isFullByDefault: Bool {
        switch self {
        case .grey, .rgb24, .bgr24, .rgb565, .bgra, .bgrx, .rgba, .rgbx: true
        default: false
        }
    }
}
