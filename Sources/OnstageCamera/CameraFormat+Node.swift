internal import CV4L2
internal import OnstageCore

extension CameraFormat {
    /// What an open node has by itself. *C: `VIDIOC_ENUM_FMT`, `VIDIOC_ENUM_FRAMESIZES`, `VIDIOC_ENUM_FRAMEINTERVALS`.*
    static func all(_ kernel: any VideoKernel, _ descriptor: Int32, isMultiPlanar: Bool) -> [CameraFormat] {
        var formats: [CameraFormat] = []
        var description = VideoFormatDescription.first(isMultiPlanar: isMultiPlanar)
        while formats.count < limit, kernel.call(descriptor, .enumerateFormats, &description) >= 0 {
            let pixelFormat = PixelFormat(code: description.pixelformat)
            formats.append(
                CameraFormat(
                    pixelFormat: pixelFormat, title: String(fixed: description.description),
                    isCompressed: description.flags & UInt32(V4L2_FMT_FLAG_COMPRESSED) != 0,
                    isConvertible: ConvertedPixels.canConvert(pixelFormat),
                    sizes: Size.all(kernel, descriptor, description.pixelformat)))
            description.index += 1
        }
        return formats
    }

    /// No driver has as many; one that never ends its list is ended.
    fileprivate static let limit = 256
}

extension CameraFormat.Size {
    fileprivate static func all(
        _ kernel: any VideoKernel, _ descriptor: Int32, _ code: UInt32
    ) -> [CameraFormat.Size] {
        var sizes: [CameraFormat.Size] = []
        var size = v4l2_frmsizeenum()
        size.pixel_format = code
        while sizes.count < CameraFormat.limit, kernel.call(descriptor, .enumerateSizes, &size) >= 0 {
            if size.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
                var one = CameraFormat.Size(width: Int(size.discrete.width), height: Int(size.discrete.height))
                one.readRates(kernel, descriptor, code)
                sizes.append(one)
                size.index += 1
                continue
            }
            let range = size.stepwise
            if range.min_width <= range.max_width, range.min_height <= range.max_height {
                var all = CameraFormat.Size(
                    width: Int(range.min_width)...Int(range.max_width),
                    height: Int(range.min_height)...Int(range.max_height), widthStep: Int(range.step_width),
                    heightStep: Int(range.step_height))
                all.readRates(kernel, descriptor, code)
                sizes.append(all)
            }
            break
        }
        return sizes
    }

    private init(width: Int, height: Int) {
        self.init(width: width...width, height: height...height)
    }

    private mutating func readRates(_ kernel: any VideoKernel, _ descriptor: Int32, _ code: UInt32) {
        var interval = v4l2_frmivalenum()
        interval.pixel_format = code
        interval.width = UInt32(width.upperBound)
        interval.height = UInt32(height.upperBound)
        while rates.count < CameraFormat.limit, kernel.call(descriptor, .enumerateIntervals, &interval) >= 0 {
            guard interval.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue else {
                if let slow = Hertz(interval.stepwise.max), let fast = Hertz(interval.stepwise.min), slow <= fast {
                    rateRange = slow.value...fast.value
                }
                break
            }
            if let rate = Hertz(interval.discrete) { rates.append(rate) }
            interval.index += 1
        }
        rates.sort { $0.value > $1.value }
    }
}
