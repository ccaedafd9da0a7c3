extension Frame {
    /// The frame as the bytes of a file, turned and scaled as `pixels` says.
    ///
    /// A frame that is a JPEG picture already, and is wanted as it is, is copied and not encoded anew.
    /// - Throws: when there is no way from the frame's format, a library is missing, or a JPEG picture cannot be read.
    public func file(
        _ encoding: PictureEncoding = .jpeg(), as pixels: FrameSink.Pixels = .native
    ) throws(ConversionError) -> PictureFile {
        try PictureFile(
            encoding, PixelShape(pixels, width: width, height: height, upright: info.rotation), of: (width, height),
            info: info,
            jpeg: { () -> [UInt8]? in pixelFormat.isJPEG ? withUnsafeBytes { JPEGBounds.whole($0) } : nil },
            pixels: { () throws(ConversionError) -> ConvertedPixels in try self.pixels() })
    }

    /// The frame as B, G, R, A; for the time of its call.
    func pixels() throws(ConversionError) -> ConvertedPixels {
        if let converted { return converted }
        return try buffer.converted(.bgra)
    }
}

extension Picture {
    /// The picture as the bytes of a file, turned and scaled as `pixels` says.
    ///
    /// A picture that is a JPEG already, and is wanted as it is, is not encoded anew.
    /// - Throws: as ``Frame/file(_:as:)``.
    public func file(
        _ encoding: PictureEncoding = .jpeg(), as pixels: FrameSink.Pixels = .native
    ) throws(ConversionError) -> PictureFile {
        try PictureFile(
            encoding, PixelShape(pixels, width: width, height: height, upright: info.rotation), of: (width, height),
            info: info,
            jpeg: { () -> [UInt8]? in pixelFormat.isJPEG ? withUnsafeBytes { JPEGBounds.whole($0) } : nil },
            pixels: { () throws(ConversionError) -> ConvertedPixels in try self.pixels() })
    }
}

extension PictureFile {
    /// - Parameters:
    ///   - shape: what is made of the picture, whose width and height are `size`.
    ///   - jpeg: its bytes where it is a JPEG that others can read.
    ///   - pixels: it as B, G, R, A.
    fileprivate init(
        _ encoding: PictureEncoding, _ shape: PixelShape, of size: (width: Int, height: Int), info: FrameInfo,
        jpeg: () -> [UInt8]?, pixels: () throws(ConversionError) -> ConvertedPixels
    ) throws(ConversionError) {
        let isWhole = shape.isWhole(of: size.width, size.height)
        if case .jpeg = encoding, isWhole, let bytes = jpeg() {
            self.init(bytes: bytes, width: size.width, height: size.height, info: info)
            return
        }
        let all = try pixels()
        let made = isWhole ? all : try ConversionPool().make(shape, of: all)
        self.init(
            bytes: try PictureEncoder.encode(made, encoding), width: made.width, height: made.height, info: info)
    }
}

extension JPEGBounds {
    /// The bytes of a picture that has all its tables, without what the camera padded it with.
    fileprivate static func whole(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        isWhole(bytes) && hasTables(bytes) ? Array(bytes[..<end(bytes)]) : nil
    }
}
