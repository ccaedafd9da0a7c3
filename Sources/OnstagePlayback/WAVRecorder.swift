internal import CLinux
internal import OnstageCore
internal import OnstageLinux

/// Writes sound to a WAV file whose header is right at every moment that matters: after each second and at each close.
///
/// A full disk ends the recording, with a header that fits what is there; the sound goes on. *Runs on:* the device's thread.
final class WAVRecorder: @unchecked Sendable {
    // Unchecked: handed to one driver, and used on its device's thread alone.
    private let path: String
    private let clock: any MonotonicClock
    private var file: Int32 = -1
    private var isBegun = false
    private var isEnded = false
    private var frameBytes = 4
    private var header: [UInt8] = []
    private var dataBytes: Int64 = 0
    private var headed = MonotonicTime(nanoseconds: 0)
    private(set) var trouble: DeviceError?

    private static let headerBytes: Int64 = 44

    init(path: String, clock: any MonotonicClock) {
        self.path = path
        self.clock = clock
    }

    func takeTrouble() -> DeviceError? {
        defer { trouble = nil }
        return trouble
    }

    /// Begins the file, or goes on with it after a pause.
    func open(_ facts: OutputFacts) {
        guard !isEnded, file < 0 else { return }
        file = clinux_open(path, isBegun ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC)
        guard file >= 0 else { return end(-file, "open") }
        isBegun = true
        frameBytes = facts.channels * facts.format.bytes
        header = Self.header(facts)
        writeHeader()
    }

    func write(_ samples: UnsafeRawPointer, frames: Int) {
        guard file >= 0 else { return }
        let bytes = Int64(frames * frameBytes)
        guard dataBytes + bytes + Self.headerBytes < 0xFFFF_FF00 else { return end(Errno.ENOSPC, "write") }
        var done: Int64 = 0
        while done < bytes {
            let answer = clinux_write_at(
                file, samples + Int(done), Int(bytes - done), off_t(Self.headerBytes + dataBytes + done))
            guard answer > 0 else {
                // Whole frames only: what is left of a cut one lies behind the sound that the header tells of.
                dataBytes += done - done % Int64(frameBytes)
                return end(answer < 0 ? Int32(-answer) : Errno.EIO, "write")
            }
            done += Int64(answer)
        }
        dataBytes += bytes
        let now = clock.now
        if now - headed >= .seconds(1) { writeHeader() }
    }

    func close() {
        guard file >= 0 else { return }
        writeHeader()
        if file >= 0 { _ = clinux_close(file) }
        file = -1
    }

    private func end(_ errno: Int32, _ call: String) {
        isEnded = true
        if file >= 0 {
            patchSizes()
            _ = header.withUnsafeBytes { clinux_write_at(file, $0.baseAddress, $0.count, 0) }
            _ = clinux_close(file)
            file = -1
        }
        trouble = DeviceError(
            errno: errno, operation: call, device: path, reason: "the recording ends here; the sound goes on",
            advice: errno == Errno.ENOSPC ? "make room on the disk" : nil)
    }

    private func patchSizes() {
        guard header.count == Int(Self.headerBytes) else { return }
        Self.put(UInt32(clamping: dataBytes + Self.headerBytes - 8), &header, 4)
        Self.put(UInt32(clamping: dataBytes), &header, 40)
    }

    private func writeHeader() {
        headed = clock.now
        patchSizes()
        let answer = header.withUnsafeBytes { clinux_write_at(file, $0.baseAddress, $0.count, 0) }
        if answer < header.count { end(answer < 0 ? Int32(-answer) : Errno.ENOSPC, "write") }
    }

    private static func header(_ facts: OutputFacts) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(headerBytes))
        bytes.replaceSubrange(0..<4, with: "RIFF".utf8)
        bytes.replaceSubrange(8..<16, with: "WAVEfmt ".utf8)
        put(16, &bytes, 16)
        let frame = UInt32(facts.channels * facts.format.bytes)
        put(UInt32(facts.format == .float ? 3 : 1) | UInt32(facts.channels) << 16, &bytes, 20)
        put(UInt32(facts.rate), &bytes, 24)
        put(UInt32(facts.rate) * frame, &bytes, 28)
        put(frame | UInt32(facts.format.bytes * 8) << 16, &bytes, 32)
        bytes.replaceSubrange(36..<40, with: "data".utf8)
        return bytes
    }

    private static func put(_ value: UInt32, _ bytes: inout [UInt8], _ at: Int) {
        for index in 0..<4 { bytes[at + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
    }
}
