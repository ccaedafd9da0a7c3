/// A frame's memory as dma-bufs, lent for the time of one call: for an importer (EGL, DRM, an encoder) that takes it without
/// a copy. Got from ``Frame/withDMABuffer(_:)``.
///
/// The descriptors are the frame's: they are closed at the camera's release. An importer that wants to have one for longer
/// makes a duplicate (importing one does), and then has the memory for as long as it likes: a dma-buf cannot be taken back,
/// neither when the buffer is filled again (keep the frame for as long as its picture is shown) nor at the release. Where the
/// camera is sensitive (``CameraConfiguration/isSensitive``) its pixels are zeros by then; else the last picture stays
/// readable through the duplicate. The device itself is free in both cases.
public struct DMABuffer: ~Copyable {
    private let buffer: FrameBuffer
    private let descriptors: InlineArray<4, Int32>

    init(_ buffer: FrameBuffer, _ descriptors: InlineArray<4, Int32>) {
        self.buffer = buffer
        self.descriptors = descriptors
    }

    /// One plane of pixels in a dma-buf.
    public struct Plane: Hashable, Sendable {
        /// For reading, close-on-exec; several planes may have the same.
        public var descriptor: Int32
        /// Where the plane begins, in bytes from the beginning of the dma-buf.
        public var offset: Int
        /// Bytes from row to row; 0 for frames that are not laid out in planes.
        public var stride: Int
        /// Bytes from the first of the plane to its last.
        public var size: Int
    }

    /// In pixels.
    public var width: Int { buffer.layout.width }
    /// In pixels.
    public var height: Int { buffer.layout.height }
    /// As V4L2 names it.
    public var pixelFormat: PixelFormat { buffer.layout.pixelFormat }
    /// The same format as DRM names it (`DRM_FORMAT_…`), in rows one after the other (`DRM_FORMAT_MOD_LINEAR`); nil where
    /// DRM has none (JPEG).
    public var drmFormat: UInt32? { buffer.layout.planes.isEmpty ? nil : pixelFormat.drmCode }
    /// Planes, 1…4.
    public var planeCount: Int {
        buffer.layout.planes.isEmpty ? buffer.memories.count : buffer.layout.planes.count
    }

    /// Where plane `index` lies, 0..<``planeCount``. *C: `VIDIOC_EXPBUF`.*
    public func plane(_ index: Int) -> Plane {
        precondition((0..<planeCount).contains(index), "the frame has \(planeCount) planes")
        guard !buffer.layout.planes.isEmpty else {
            let used = buffer.used[index]
            return Plane(descriptor: descriptors[index], offset: used.offset, stride: 0, size: used.count)
        }
        let plane = buffer.layout.planes[index]
        return Plane(
            descriptor: descriptors[plane.memory], offset: buffer.used[plane.memory].offset + plane.offset,
            stride: plane.stride, size: plane.byteCount)
    }
}

extension PixelFormat {
    /// The format of DRM that lies in memory as this one does; nil where there is none.
    var drmCode: UInt32? {
        switch self {
        case .yuyv, .uyvy, .nv12, .nv21, .nv16, .i420, .yv12, .bgra, .bgrx, .rgba, .rgbx: code
        case .nv12m: PixelFormat.nv12.code
        case .nv21m: PixelFormat.nv21.code
        case .nv16m: PixelFormat.nv16.code
        case .i420m: PixelFormat.i420.code
        // DRM names the highest byte first, V4L2 the first in memory.
        case .i422: PixelFormat("YU16")?.code
        case .rgb24: PixelFormat("BG24")?.code
        case .bgr24: PixelFormat("RG24")?.code
        case .rgb565: PixelFormat("RG16")?.code
        case .grey: PixelFormat("R8")?.code
        default: nil
        }
    }
}
