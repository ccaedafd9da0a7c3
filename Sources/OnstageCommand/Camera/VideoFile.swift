internal import CLinux
internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// A file that frames are written to one by one; whole ones only, whatever happens.
///
/// Unchecked: frames are taken by the one thread of its sink, under the lock that ``finish()`` takes too.
final class VideoFile: @unchecked Sendable {
    enum Kind: Hashable, Sendable {
        /// Raw planes, with a header.
        case y4m
        /// JPEG pictures one behind the other.
        case mjpeg

        init?(_ file: String) {
            let name = file.lowercased()
            if name.hasSuffix(".y4m") {
                self = .y4m
            } else if name.hasSuffix(".mjpeg") || name.hasSuffix(".mjpg") {
                self = .mjpeg
            } else {
                return nil
            }
        }
    }

    /// What it came to.
    struct End: Sendable {
        var frames = 0
        var bytes: Int64 = 0
        /// Frames that the camera lost, and that came while another was being written.
        var lost = 0
        var missed = 0
        var error: DeviceError?
    }

    private let path: String
    private let kind: Kind
    private let limit: Int
    private let quality: Int
    private let file: Descriptor
    private let onEnd: @Sendable () -> Void
    /// Whether it has ended; held for the time of a frame.
    private let hasEnded = Mutex(false)
    private var end = End()
    private var planes: PlanarFrame?

    /// - Parameter onEnd: called once, when there are `limit` frames or no more can be written. *Runs on:* the sink's thread.
    /// - Throws: when the file cannot be made.
    init(
        _ path: String, _ kind: Kind, limit: Int, quality: Int, onEnd: @escaping @Sendable () -> Void
    ) throws(DeviceError) {
        self.path = path
        self.kind = kind
        self.limit = limit
        self.quality = quality
        self.onEnd = onEnd
        file = try Descriptor(opening: path, flags: O_WRONLY | O_CREAT | O_TRUNC)
    }

    /// Writes one frame. *Runs on:* the sink's thread.
    func take(_ frame: borrowing Frame) {
        let isAll = hasEnded.withLock { hasEnded -> Bool in
            guard !hasEnded, end.error == nil, end.frames < limit else { return false }
            put(frame)
            return end.error != nil || end.frames == limit
        }
        if isAll { onEnd() }
    }

    private func put(_ frame: borrowing Frame) {
        if end.frames > 0 {
            end.lost += frame.droppedBefore
            end.missed += frame.missed
        }
        do throws(DeviceError) {
            switch kind {
            case .y4m: try writePlanes(frame)
            case .mjpeg: try writeJPEG(frame)
            }
            end.frames += 1
        } catch {
            end.error = error
        }
    }

    private func writeJPEG(_ frame: borrowing Frame) throws(DeviceError) {
        let bytes: [UInt8]
        do throws(ConversionError) {
            bytes = try frame.file(.jpeg(quality: quality)).bytes
        } catch {
            throw DeviceError(.inputOutput, operation: "", device: path, reason: "\(error)")
        }
        try write { (put: (UnsafeRawBufferPointer) -> Int32) in bytes.withUnsafeBytes { put($0) } }
    }

    private func writePlanes(_ frame: borrowing Frame) throws(DeviceError) {
        let planes = try planes(for: frame)
        do throws(ConversionError) {
            try planes.fill(frame)
        } catch {
            throw DeviceError(.inputOutput, operation: "", device: path, reason: "\(error)")
        }
        let mark = Array(((end.frames == 0 ? header(planes.form, frame.rate) : "") + "FRAME\n").utf8)
        try write { (put: (UnsafeRawBufferPointer) -> Int32) in
            let answer = mark.withUnsafeBytes { put($0) }
            return answer < 0 ? answer : put(planes.bytes)
        }
    }

    /// Memory for the planes of this frame: that of the ones before, or new when it comes in another format.
    private func planes(for frame: borrowing Frame) throws(DeviceError) -> PlanarFrame {
        if let planes, planes.fits(frame) { return planes }
        let made = PlanarFrame(like: frame)
        // The header has told what every frame is.
        if let planes, planes.form != made.form {
            throw DeviceError(
                .configuration, operation: "", device: path,
                reason: "the camera came back with another size or format: \(frame.width)x\(frame.height) "
                    + "\(frame.pixelFormat)")
        }
        planes = made
        return made
    }

    /// *YUV4MPEG2*: size, rate, progressive, square pixels, sampling, range.
    private func header(_ form: PlanarFrame.Form, _ rate: Hertz?) -> String {
        let rate = rate.map { Int(($0.value * 1000).rounded()) } ?? 30_000
        let range = form.isFullRange ? "FULL" : "LIMITED"
        return "YUV4MPEG2 W\(form.width) H\(form.height) F\(rate):1000 Ip A1:1 C\(form.sampling.rawValue) "
            + "XCOLORRANGE=\(range)\n"
    }

    /// Writes one frame's bytes, or takes back what of them was written.
    private func write(_ body: ((UnsafeRawBufferPointer) -> Int32) -> Int32) throws(DeviceError) {
        var written: Int64 = 0
        let answer = body { bytes in
            var done = 0
            while done < bytes.count {
                let answer = clinux_write(file.number, bytes.baseAddress.map { $0 + done }, bytes.count - done)
                guard answer > 0 else { return answer < 0 ? Int32(answer) : -EIO }
                done += answer
                written += Int64(answer)
            }
            return 0
        }
        guard answer < 0 else {
            end.bytes += written
            return
        }
        // A FIFO or a terminal cannot be cut: there the reader has half a frame.
        if written > 0 { _ = ftruncate(file.number, Int(end.bytes)) }
        let isFull = -answer == ENOSPC || -answer == EDQUOT
        throw DeviceError(
            isFull ? .tooMany : DeviceError.Kind(errno: -answer), operation: "write", device: path, errno: -answer,
            reason: isFull ? "the disk is full; the \(end.frames) frames before are in it" : nil)
    }

    /// No more frames; what it came to. Waits for the one that is being written. *Runs on:* any thread.
    func finish() -> End {
        hasEnded.withLock { hasEnded in
            hasEnded = true
            return end
        }
    }
}
