internal import CYuv

/// A frame as three planes without padding between them: what video files hold.
package struct PlanarFrame: ~Copyable {
    /// How many chroma samples there are.
    package enum Sampling: String, Sendable {
        case i420 = "420jpeg"
        case i422 = "422"
    }

    package let width: Int
    package let height: Int
    package let sampling: Sampling
    /// Whether black is 0 and white 255.
    package let isFullRange: Bool
    /// Y, Cb and Cr, one behind the other.
    private let storage: UnsafeMutableRawBufferPointer

    /// Memory for frames like this one.
    package init(like frame: borrowing Frame) {
        (width, height) = (frame.width, frame.height)
        let layout = frame.buffer.layout
        let isNative = frame.converted == nil
        switch layout.pixelFormat {
        case .yuyv where isNative, .uyvy where isNative: (sampling, isFullRange) = (.i422, layout.color.isFullRange)
        case .nv12 where isNative, .nv21 where isNative, .nv12m where isNative, .nv21m where isNative:
            (sampling, isFullRange) = (.i420, layout.color.isFullRange)
        default: (sampling, isFullRange) = (.i420, true)
        }
        let chroma = (width + 1) / 2 * (sampling == .i422 ? height : (height + 1) / 2)
        storage = .allocate(byteCount: width * height + chroma * 2, alignment: 64)
    }

    deinit { storage.deallocate() }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(storage) }

    /// Puts a frame of the same camera into it; one pass where the frame is 4:2:2 or 4:2:0 already.
    /// - Throws: when libyuv is missing, or has no way from the frame's format.
    package func fill(_ frame: borrowing Frame) throws(ConversionError) {
        guard cyuv_load() == 0 else { throw ConversionError(String(cString: cyuv_missing())) }
        guard let start = storage.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        let chroma = (bytes.count - width * height) / 2
        let (y, u, v) = (start, start + width * height, start + width * height + chroma)
        let (w, h) = (Int32(width), Int32(height))
        let answer: Int32
        let format = frame.pixelFormat
        switch format {
        case .yuyv, .uyvy:
            answer = frame.withUnsafeBytes { from in
                cyuv_planes422(
                    format == .uyvy ? 1 : 0, from.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    Int32(frame.stride), y, u, v, w, h)
            }
        case .nv12, .nv21, .nv12m, .nv21m:
            let isNV21 = format == .nv21 || format == .nv21m
            answer = frame.withUnsafeBytes(plane: 0) { luma in
                frame.withUnsafeBytes(plane: 1) { pairs in
                    cyuv_planes420(
                        isNV21 ? 1 : 0, luma.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        Int32(frame.stride(plane: 0)), pairs.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        Int32(frame.stride(plane: 1)), y, u, v, w, h)
                }
            }
        default:
            let pixels: ConvertedPixels
            if let made = frame.converted { pixels = made } else { pixels = try frame.buffer.converted(.bgra) }
            answer = cyuv_planes_of_bgra(pixels.pixels, Int32(pixels.stride), y, u, v, w, h)
        }
        guard answer == 0 else {
            throw ConversionError("libyuv cannot make planes of this \(format) picture (\(answer))")
        }
    }
}
