internal import CLinux
internal import CSndfile
package import OnstageCore
internal import OnstageLinux

/// A sound file, read by libsndfile.
///
/// Unchecked: a handle of libsndfile is for one thread at a time, and that is what ``MediaSource`` promises: the thread that
/// made it hands it to its driver and lets go.
package final class MediaFile: MediaSource, @unchecked Sendable {
    package let info: MediaInfo
    package let format: SourceFormat
    private let file: OpaquePointer
    /// How many frames earlier a compressed stream is entered, so that its decoder has settled at the frame asked for.
    /// Measured with libsndfile 1.2: Vorbis is right at every frame after 2,048, at 277 of 300 without.
    private let preRoll: Int64
    private var preRollSpace: UnsafeMutableRawBufferPointer?

    private static let preRollBlock: Int64 = 512

    /// Opens `path` and reads its header.
    /// - Throws: `absent` when there is no such file, `permission`, and `configuration` for what cannot be played or
    ///   where libsndfile is not installed.
    /// *Runs on:* any thread. *C: `sf_open`.*
    package init(path: String) throws(DeviceError) {
        let head = try FileHead(path: path)
        if let missing = csndfile_load() {
            throw DeviceError(
                .configuration, operation: "dlopen", device: path, reason: String(cString: missing))
        }
        var about = SF_INFO()
        guard let file = csndfile_open(path, &about) else {
            throw head.refusal(String(cString: csndfile_error_text(nil)), log: Self.log(nil))
        }
        let rate = Int(about.samplerate)
        let channels = Int(about.channels)
        guard (1...32).contains(channels), (1...768_000).contains(rate), about.frames >= 0 else {
            csndfile_close(file)
            throw head.refusal("\(rate) Hz with \(channels) channels is out of range", log: "")
        }
        let kind = StoredFormat(about.format)
        self.file = file
        format = kind.source
        preRoll = kind.preRoll
        info = MediaInfo(
            name: path, rate: rate, channels: channels, format: kind.name,
            frames: about.frames == Int64.max ? 0 : about.frames, isSeekable: about.seekable != 0,
            oddities: HeaderLog(Self.log(file)).oddities(frames: about.frames))
        csndfile_clip(file)
        if preRoll > 0 {
            preRollSpace = .allocate(byteCount: Int(Self.preRollBlock) * channels * format.bytes, alignment: 16)
        }
    }

    deinit {
        csndfile_close(file)
        preRollSpace?.deallocate()
    }

    private static func log(_ file: OpaquePointer?) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { space in
            guard let start = space.baseAddress else { return "" }
            let length = Int(csndfile_log(file, start, Int32(space.count)))
            let bytes = space.prefix(max(0, min(length, space.count))).map { UInt8(bitPattern: $0) }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    package func seek(to frame: Int64) throws(DeviceError) {
        let entry = max(0, frame - preRoll)
        guard csndfile_seek(file, entry) == entry else { throw broken("sf_seek") }
        var rest = frame - entry
        guard let space = preRollSpace, let start = space.baseAddress else { return }
        while rest > 0 {
            let came = try read(into: start, frames: Int(min(rest, Self.preRollBlock)))
            if came == 0 { return }
            rest -= Int64(came)
        }
    }

    package func read(into samples: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int {
        let count = Int64(frames)
        let came =
            switch format {
            case .s16: csndfile_read_s16(file, samples, count)
            case .s24, .s32: csndfile_read_s32(file, samples, count)
            case .float: csndfile_read_float(file, samples, count)
            }
        if came == 0, csndfile_error(file) != 0 { throw broken("sf_readf") }
        return Int(came)
    }

    private func broken(_ call: String) -> DeviceError {
        DeviceError(
            .inputOutput, operation: call, device: info.name, reason: String(cString: csndfile_error_text(file)),
            advice: "the file is damaged, or its disk is gone")
    }
}
