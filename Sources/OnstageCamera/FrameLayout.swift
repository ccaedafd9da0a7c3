package import OnstageCore

/// How the frames of one stream lie in memory: the same for all of them until the next acquire.
package struct FrameLayout: Hashable, Sendable {
    /// One plane of pixels.
    package struct Plane: Hashable, Sendable {
        /// Which memory of the buffer it is in.
        package var memory: Int
        /// Where in it the plane begins, in bytes.
        package var offset: Int
        /// From one row to the next, in bytes.
        package var stride: Int
        /// Rows.
        package var rows: Int
        /// The bytes of a row that hold pixels.
        package var rowBytes: Int
        /// From the first byte of the first row to the last of the last.
        package var byteCount: Int { rows == 0 ? 0 : (rows - 1) * stride + rowBytes }
    }

    /// In pixels.
    package var width: Int
    /// In pixels.
    package var height: Int
    package var pixelFormat: PixelFormat
    package var color: ColorEncoding
    /// Frames a second, if the camera says.
    package var rate: Hertz?
    /// Empty for compressed frames and for formats that are not known here: they are bytes.
    package var planes: [Plane]
    /// The bytes that each memory of a good frame holds at least; 1 for compressed ones.
    package var leastBytes: [Int]

    /// - Parameters:
    ///   - strides: bytes from row to row in the first plane of each memory, as the driver says.
    ///   - sizes: bytes of each memory, as the driver says.
    package init(
        width: Int, height: Int, pixelFormat: PixelFormat, color: ColorEncoding = ColorEncoding(), strides: [Int],
        sizes: [Int]
    ) {
        self.width = width
        self.height = height
        self.pixelFormat = pixelFormat
        self.color = color
        planes = Self.planes(width: width, height: height, pixelFormat: pixelFormat, strides: strides)
        leastBytes = sizes.map { _ in 1 }
        for plane in planes where plane.memory < leastBytes.count {
            leastBytes[plane.memory] = max(leastBytes[plane.memory], plane.offset + plane.byteCount)
        }
        // A plane that the driver's own size does not hold would be read beyond its end: then it is bytes.
        if zip(leastBytes, sizes).contains(where: { $0 > $1 }) {
            planes = []
            leastBytes = sizes.map { max(1, $0) }
        }
        if leastBytes.isEmpty { leastBytes = [1] }
    }

    private static func planes(width: Int, height: Int, pixelFormat: PixelFormat, strides: [Int]) -> [Plane] {
        let stride = strides.first ?? 0
        let second = strides.count > 1 ? strides[1] : stride
        let halfWidth = (width + 1) / 2
        let halfHeight = (height + 1) / 2
        func packed(_ bytes: Int) -> [Plane] {
            let row = width * bytes
            return [Plane(memory: 0, offset: 0, stride: max(stride, row), rows: height, rowBytes: row)]
        }
        let luma = Plane(memory: 0, offset: 0, stride: max(stride, width), rows: height, rowBytes: width)
        let behind = luma.stride * height
        func pairs(rows: Int, ownMemory: Bool) -> [Plane] {
            let chroma = Plane(
                memory: ownMemory ? 1 : 0, offset: ownMemory ? 0 : behind, stride: ownMemory ? second : luma.stride,
                rows: rows, rowBytes: halfWidth * 2)
            return [luma, chroma]
        }
        func three(rows: Int, ownMemory: Bool) -> [Plane] {
            let step = ownMemory ? max(second, halfWidth) : luma.stride / 2
            let first = Plane(
                memory: ownMemory ? 1 : 0, offset: ownMemory ? 0 : behind, stride: step, rows: rows, rowBytes: halfWidth
            )
            var last = first
            if ownMemory { last.memory = 2 } else { last.offset += step * rows }
            return [luma, first, last]
        }
        switch pixelFormat {
        case .yuyv, .uyvy: return packed2(width: width, height: height, stride: stride)
        case .rgb565: return packed(2)
        case .rgb24, .bgr24: return packed(3)
        case .bgra, .bgrx, .rgba, .rgbx: return packed(4)
        case .grey: return packed(1)
        case .nv12, .nv21: return pairs(rows: halfHeight, ownMemory: false)
        case .nv16: return pairs(rows: height, ownMemory: false)
        case .nv12m, .nv21m: return strides.count > 1 ? pairs(rows: halfHeight, ownMemory: true) : []
        case .nv16m: return strides.count > 1 ? pairs(rows: height, ownMemory: true) : []
        case .i420, .yv12: return three(rows: halfHeight, ownMemory: false)
        case .i422: return three(rows: height, ownMemory: false)
        case .i420m: return strides.count > 2 ? three(rows: halfHeight, ownMemory: true) : []
        default: return []
        }
    }

    /// Packed 4:2:2: pixels come in pairs.
    private static func packed2(width: Int, height: Int, stride: Int) -> [Plane] {
        let row = (width + 1) / 2 * 4
        return [Plane(memory: 0, offset: 0, stride: max(stride, row), rows: height, rowBytes: row)]
    }
}
