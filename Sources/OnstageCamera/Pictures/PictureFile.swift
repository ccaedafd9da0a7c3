/// How a picture is written to a file.
public enum PictureEncoding: Hashable, Sendable {
    /// Quality 1…100.
    case jpeg(quality: Int = 90)
    /// Without loss.
    case png
}

/// A picture as the bytes of a file.
public struct PictureFile: Sendable {
    public let bytes: [UInt8]
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    public let info: FrameInfo
}
