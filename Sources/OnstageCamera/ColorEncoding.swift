internal import CV4L2

/// What the numbers in a frame mean as light, with V4L2's defaults resolved.
public struct ColorEncoding: Hashable, Sendable {
    /// Which colours are meant ("srgb", "rec709", "smpte170m", "bt2020", "jpeg").
    public var space: String
    /// How Y'CbCr becomes R'G'B' ("601", "709", "bt2020"; "other" where libyuv has no numbers for it).
    public var matrix: String
    /// Whether black is 0 and white 255; else 16 and 235.
    public var isFullRange: Bool

    public init(space: String = "srgb", matrix: String = "601", isFullRange: Bool = false) {
        self.space = space
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// Resolves what a driver says as the V4L2 specification does (`V4L2_MAP_YCBCR_ENC_DEFAULT` and its like).
    init(colorspace: UInt32, encoding: UInt32, quantization: UInt32, isRGB: Bool) {
        switch colorspace {
        case V4L2_COLORSPACE_SMPTE170M.rawValue: space = "smpte170m"
        case V4L2_COLORSPACE_SMPTE240M.rawValue: space = "smpte240m"
        case V4L2_COLORSPACE_REC709.rawValue: space = "rec709"
        case V4L2_COLORSPACE_470_SYSTEM_M.rawValue: space = "470m"
        case V4L2_COLORSPACE_470_SYSTEM_BG.rawValue: space = "470bg"
        case V4L2_COLORSPACE_JPEG.rawValue: space = "jpeg"
        case V4L2_COLORSPACE_SRGB.rawValue, V4L2_COLORSPACE_DEFAULT.rawValue: space = "srgb"
        case V4L2_COLORSPACE_OPRGB.rawValue: space = "oprgb"
        case V4L2_COLORSPACE_BT2020.rawValue: space = "bt2020"
        case V4L2_COLORSPACE_RAW.rawValue: space = "raw"
        case V4L2_COLORSPACE_DCI_P3.rawValue: space = "dci-p3"
        default: space = "colorspace \(colorspace)"
        }
        switch encoding {
        case V4L2_YCBCR_ENC_601.rawValue, V4L2_YCBCR_ENC_XV601.rawValue: matrix = "601"
        case V4L2_YCBCR_ENC_709.rawValue, V4L2_YCBCR_ENC_XV709.rawValue: matrix = "709"
        case V4L2_YCBCR_ENC_BT2020.rawValue: matrix = "bt2020"
        case V4L2_YCBCR_ENC_DEFAULT.rawValue:
            switch colorspace {
            case V4L2_COLORSPACE_REC709.rawValue, V4L2_COLORSPACE_DCI_P3.rawValue: matrix = "709"
            case V4L2_COLORSPACE_BT2020.rawValue: matrix = "bt2020"
            case V4L2_COLORSPACE_SMPTE240M.rawValue: matrix = "other"
            default: matrix = "601"
            }
        default: matrix = "other"
        }
        switch quantization {
        case V4L2_QUANTIZATION_FULL_RANGE.rawValue: isFullRange = true
        case V4L2_QUANTIZATION_LIM_RANGE.rawValue: isFullRange = false
        default: isFullRange = isRGB || colorspace == V4L2_COLORSPACE_JPEG.rawValue
        }
    }
}
