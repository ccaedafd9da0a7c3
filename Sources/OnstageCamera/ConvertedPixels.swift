internal import CYuv

/// Why a frame could not be converted.
public struct ConversionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do where that is known.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Pixels as B, G, R, A in memory of our own, used again for frame after frame.
///
/// Unchecked: filled under the lock of the one buffer that has it, before anybody else sees it.
final class ConvertedPixels: @unchecked Sendable {
    let width: Int
    let height: Int
    /// Bytes from row to row.
    var stride: Int { width * 4 }
    var byteCount: Int { stride * height }
    let pixels: UnsafeMutablePointer<UInt8>
    /// For 4:2:2 with a matrix that libyuv only has for planes; made at the first need.
    private var scratch: UnsafeMutablePointer<UInt8>?

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        // 64 bytes: what the widest vector store likes.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, width * height * 4), alignment: 64)
        pixels = memory.bindMemory(to: UInt8.self, capacity: max(1, width * height * 4))
    }

    deinit {
        pixels.deallocate()
        scratch?.deallocate()
    }

    /// Turns all pixels to zeros, also under a reader: what it reads then is no picture.
    func blank() {
        pixels.update(repeating: 0, count: byteCount)
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: pixels, count: byteCount) }

    /// Whether frames of `format` can be converted.
    static func canConvert(_ format: PixelFormat) -> Bool {
        switch format {
        case .yuyv, .uyvy, .nv12, .nv21, .nv12m, .nv21m, .nv16, .nv16m, .i420, .yv12, .i420m, .i422, .grey, .rgb24,
            .bgr24, .rgb565, .bgra, .bgrx, .rgba, .rgbx, .mjpeg, .jpeg:
            true
        default: false
        }
    }

    /// *Runs on:* whoever has the buffer's lock.
    func fill(from buffer: FrameBuffer) throws(ConversionError) {
        try fill(layout: buffer.layout) { buffer.bytes(plane: $0) }
    }

    /// - Throws: when libyuv is missing, or has no way from this format, or cannot read the picture.
    func fill(layout: FrameLayout, plane: (Int) -> UnsafeRawBufferPointer) throws(ConversionError) {
        guard cyuv_load() == 0 else { throw ConversionError(String(cString: cyuv_missing())) }
        guard Self.canConvert(layout.pixelFormat), layout.pixelFormat.isJPEG || !layout.planes.isEmpty else {
            throw ConversionError("there is no way from \(layout.pixelFormat) to B, G, R, A")
        }
        let answer = call(layout, plane)
        guard answer == 0 else {
            throw ConversionError("libyuv cannot read this \(layout.pixelFormat) picture (\(answer))")
        }
    }

    private func call(_ layout: FrameLayout, _ plane: (Int) -> UnsafeRawBufferPointer) -> Int32 {
        func start(_ index: Int) -> UnsafePointer<UInt8>? {
            plane(index).baseAddress?.assumingMemoryBound(to: UInt8.self)
        }
        func step(_ index: Int) -> Int32 { Int32(layout.planes[index].stride) }
        let (to, toStride, width, height) = (pixels, Int32(stride), Int32(width), Int32(height))
        let matrix = layout.color.yuvMatrix
        switch layout.pixelFormat {
        case .yuyv where matrix == CYUV_601: return cyuv_yuy2(start(0), step(0), to, toStride, width, height)
        case .uyvy where matrix == CYUV_601: return cyuv_uyvy(start(0), step(0), to, toStride, width, height)
        case .yuyv, .uyvy:
            return cyuv_packed422(
                layout.pixelFormat == .uyvy ? 1 : 0, start(0), step(0), scratchPlanes(), to, toStride, matrix, width,
                height)
        case .nv12, .nv12m:
            return cyuv_nv12(start(0), step(0), start(1), step(1), to, toStride, matrix, width, height)
        case .nv21, .nv21m:
            return cyuv_nv21(start(0), step(0), start(1), step(1), to, toStride, matrix, width, height)
        case .nv16, .nv16m: return rowByRow(layout, start(0), start(1), matrix)
        case .i420, .i420m:
            return cyuv_i420(
                start(0), step(0), start(1), step(1), start(2), step(2), to, toStride, matrix, width, height)
        case .yv12:
            return cyuv_i420(
                start(0), step(0), start(2), step(2), start(1), step(1), to, toStride, matrix, width, height)
        case .i422:
            return cyuv_i422(
                start(0), step(0), start(1), step(1), start(2), step(2), to, toStride, matrix, width, height)
        case .grey where layout.color.isFullRange:
            return cyuv_gray_full(start(0), step(0), to, toStride, width, height)
        case .grey: return cyuv_gray(start(0), step(0), to, toStride, width, height)
        case .rgb24: return cyuv_rgb24(start(0), step(0), to, toStride, width, height)
        case .bgr24: return cyuv_bgr24(start(0), step(0), to, toStride, width, height)
        case .rgb565: return cyuv_rgb565(start(0), step(0), to, toStride, width, height)
        case .rgba, .rgbx: return cyuv_rgba(start(0), step(0), to, toStride, width, height)
        case .bgra, .bgrx: return cyuv_copy(start(0), step(0), to, toStride, width, height)
        default:
            let picture = plane(0)
            return cyuv_mjpeg(
                picture.baseAddress?.assumingMemoryBound(to: UInt8.self), picture.count, to, toStride, width, height)
        }
    }

    /// NV16 as NV12, one row at a time: libyuv of 2023 has no way of its own, and a row is a picture of height 1 whose
    /// one row of chroma is right.
    private func rowByRow(
        _ layout: FrameLayout, _ luma: UnsafePointer<UInt8>?, _ chroma: UnsafePointer<UInt8>?, _ matrix: cyuv_matrix
    ) -> Int32 {
        guard let luma, let chroma else { return -1 }
        for row in 0..<height {
            let answer = cyuv_nv12(
                luma + row * layout.planes[0].stride, Int32(layout.planes[0].stride),
                chroma + row * layout.planes[1].stride, Int32(layout.planes[1].stride), pixels + row * stride,
                Int32(stride), matrix, Int32(width), 1)
            guard answer == 0 else { return answer }
        }
        return 0
    }

    private func scratchPlanes() -> UnsafeMutablePointer<UInt8> {
        if let scratch { return scratch }
        let planes = UnsafeMutablePointer<UInt8>.allocate(capacity: (width + 1) * height * 2)
        scratch = planes
        return planes
    }
}

extension ColorEncoding {
    /// The nearest of libyuv's matrices.
    var yuvMatrix: cyuv_matrix {
        switch (matrix, isFullRange) {
        case ("709", false): CYUV_709
        case ("709", true): CYUV_709_FULL
        case ("bt2020", false): CYUV_2020
        case ("bt2020", true): CYUV_2020_FULL
        case (_, true): CYUV_601_FULL
        default: CYUV_601
        }
    }
}
