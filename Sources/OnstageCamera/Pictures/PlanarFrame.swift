internal import CYuv

/// Frames of one camera as three planes without padding between them: what video files hold.
///
/// Its memory is for frames of one form that come in one way, and is used again for each of them. *Runs on:* one thread at
/// a time.
package final class PlanarFrame {
    /// How many chroma samples there are.
    package enum Sampling: String, Sendable {
        case i420 = "420jpeg"
        case i422 = "422"
    }

    /// What a reader of the planes has to know.
    package struct Form: Hashable, Sendable {
        /// In pixels.
        package var width: Int
        /// In pixels.
        package var height: Int
        package var sampling: Sampling
        /// Whether black is 0 and white 255.
        package var isFullRange: Bool
    }

    /// How a frame's samples come to their planes.
    private enum Way: Hashable {
        case packed(isUYVY: Bool)
        case pairs(isNV21: Bool)
        /// By B, G, R, A.
        case converted
    }

    package let form: Form
    private let way: Way
    /// Y, Cb and Cr, one behind the other.
    private let storage: UnsafeMutableRawBufferPointer

    /// Memory for frames like this one.
    package init(like frame: borrowing Frame) {
        (form, way) = Self.kind(frame)
        storage = .allocate(byteCount: Self.lumaCount(form) + 2 * Self.chromaCount(form), alignment: 64)
    }

    deinit { storage.deallocate() }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(storage) }

    /// Whether the frame has the size and the format that the memory was made for.
    package func fits(_ frame: borrowing Frame) -> Bool {
        Self.kind(frame) == (form, way)
    }

    private static func kind(_ frame: borrowing Frame) -> (Form, Way) {
        let layout = frame.buffer.layout
        var form = Form(
            width: frame.width, height: frame.height, sampling: .i420, isFullRange: layout.color.isFullRange)
        // Without its planes a frame is bytes: the conversion tells then why there is no way.
        if frame.converted == nil, !layout.planes.isEmpty {
            switch layout.pixelFormat {
            case .yuyv, .uyvy:
                form.sampling = .i422
                return (form, .packed(isUYVY: layout.pixelFormat == .uyvy))
            case .nv12, .nv12m: return (form, .pairs(isNV21: false))
            case .nv21, .nv21m: return (form, .pairs(isNV21: true))
            default: break
            }
        }
        form.isFullRange = true
        return (form, .converted)
    }

    private static func lumaCount(_ form: Form) -> Int { form.width * form.height }

    /// Bytes of one of the two planes.
    private static func chromaCount(_ form: Form) -> Int {
        (form.width + 1) / 2 * (form.sampling == .i422 ? form.height : (form.height + 1) / 2)
    }

    /// Puts a frame into it; one pass where the frame is 4:2:2 or 4:2:0 already.
    /// - Throws: when the frame does not fit, libyuv is missing, or has no way from the frame's format.
    package func fill(_ frame: borrowing Frame) throws(ConversionError) {
        guard fits(frame) else {
            throw ConversionError("this \(frame.pixelFormat) picture is of another size or format than the ones before")
        }
        guard cyuv_load() == 0 else { throw ConversionError(String(cString: cyuv_missing())) }
        guard let y = storage.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        let u = y + Self.lumaCount(form)
        let v = u + Self.chromaCount(form)
        let (width, height) = (Int32(form.width), Int32(form.height))
        let answer: Int32
        switch way {
        case .packed(let isUYVY):
            answer = frame.withUnsafeBytes { from in
                cyuv_planes422(
                    isUYVY ? 1 : 0, from.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(frame.stride), y, u, v,
                    width, height)
            }
        case .pairs(let isNV21):
            answer = frame.withUnsafeBytes(plane: 0) { luma in
                frame.withUnsafeBytes(plane: 1) { pairs in
                    cyuv_planes420(
                        isNV21 ? 1 : 0, luma.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        Int32(frame.stride(plane: 0)), pairs.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        Int32(frame.stride(plane: 1)), y, u, v, width, height)
                }
            }
        case .converted:
            let pixels = try frame.pixels()
            answer = cyuv_planes_of_bgra(pixels.pixels, Int32(pixels.stride), y, u, v, width, height)
        }
        guard answer == 0 else {
            throw ConversionError("libyuv cannot make planes of this \(frame.pixelFormat) picture (\(answer))")
        }
    }
}
