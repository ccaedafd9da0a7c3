extension Frame {
    /// The frame as the bytes of a file, turned and scaled as `pixels` says.
    ///
    /// A frame that is a JPEG picture already, and is wanted as it is, is copied and not encoded anew.
    /// - Throws: when there is no way from the frame's format, a library is missing, or a JPEG picture cannot be read.
    public func file(
        _ encoding: PictureEncoding = .jpeg(), as pixels: FrameSink.Pixels = .native
    ) throws(ConversionError) -> PictureFile {
        try copy().file(encoding, as: pixels)
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
        let shape = PixelShape(pixels, width: width, height: height, upright: info.rotation)
        let isWhole = shape.isWhole(of: width, height)
        if case .jpeg = encoding, isWhole, let bytes = wholeJPEG {
            return PictureFile(bytes: bytes, width: width, height: height, info: info)
        }
        var made = try self.pixels()
        if !isWhole { made = try ConversionPool().make(shape, of: made) }
        return PictureFile(
            bytes: try PictureEncoder.encode(made, encoding), width: made.width, height: made.height, info: info)
    }

    /// The bytes of a JPEG picture that has all its tables, without what the camera padded it with.
    private var wholeJPEG: [UInt8]? {
        guard pixelFormat.isJPEG else { return nil }
        return withUnsafeBytes { bytes in
            guard JPEGBounds.isWhole(bytes), JPEGBounds.hasTables(bytes) else { return nil }
            return Array(bytes[..<JPEGBounds.end(bytes)])
        }
    }
}
