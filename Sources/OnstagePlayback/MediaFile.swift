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
    private var file: OpaquePointer
    /// The frame that is read next.
    private var next: Int64 = 0
    private let entry: SeekEntry
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
            throw head.refusal(String(cString: csndfile_error_text(nil)))
        }
        let rate = Int(about.samplerate)
        let channels = Int(about.channels)
        guard (1...32).contains(channels), (1...768_000).contains(rate), about.frames >= 0 else {
            csndfile_close(file)
            throw head.refusal("\(rate) Hz with \(channels) channels is out of range")
        }
        let kind = StoredFormat(about.format)
        self.file = file
        format = kind.source
        let tail = kind.isOgg ? OggTail(path: path) : nil
        var oddities = HeaderLog(Self.log(file)).oddities(frames: about.frames)
        var frames = about.frames
        if frames == Int64.max {
            // Cut short: its length is what its last page says, and what really comes counts.
            frames = tail?.end ?? 0
            oddities.append("it is cut short; what is there is played")
        } else if tail?.isChained == true {
            oddities.append("it holds several streams one behind the other; the first one is played")
        }
        entry = SeekEntry(kind, rate: rate, frames: frames, tail: tail)
        var info = MediaInfo(
            name: path, rate: rate, channels: channels, format: kind.name, frames: frames,
            isSeekable: about.seekable != 0, oddities: oddities)
        info.layout = Self.layout(file, channels, kind)
        self.info = info
        csndfile_clip(file)
        preRollSpace = .allocate(byteCount: Int(Self.preRollBlock) * channels * format.bytes, alignment: 16)
    }

    deinit {
        csndfile_close(file)
        preRollSpace?.deallocate()
    }

    /// Which channel is which: what the header says, else what its kind has it.
    private static func layout(_ file: OpaquePointer, _ channels: Int, _ kind: StoredFormat) -> ChannelLayout {
        let numbers = withUnsafeTemporaryAllocation(of: Int32.self, capacity: channels) { space -> [Int32] in
            space.initialize(repeating: 0)
            guard let start = space.baseAddress, csndfile_channel_map(file, start, Int32(channels)) != 0 else {
                return []
            }
            return Array(space)
        }
        return ChannelLayout(sndfile: numbers) ?? (kind.isOgg ? .ogg(channels) : .media(channels))
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
        if info.isSeekable {
            let start = entry.frame(for: frame)
            if entry.isThroughStart { _ = csndfile_seek(file, 0) }
            next = csndfile_seek(file, start)
            guard next == start || next >= 0 && next <= frame else { throw broken("sf_seek") }
        } else if frame < next {
            // Some codecs (GSM, G.721) cannot even go back to their first frame.
            try reopen()
        }
        while next < frame, let space = preRollSpace?.baseAddress {
            if try read(into: space, frames: Int(min(frame - next, Self.preRollBlock))) == 0 { return }
        }
    }

    private func reopen() throws(DeviceError) {
        var about = SF_INFO()
        guard let again = csndfile_open(info.name, &about) else {
            throw DeviceError(
                .inputOutput, operation: "sf_open", device: info.name,
                reason: String(cString: csndfile_error_text(nil)),
                advice: "the file was changed, or its disk is gone")
        }
        csndfile_close(file)
        file = again
        next = 0
        csndfile_clip(file)
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
        next += came
        return Int(came)
    }

    private func broken(_ call: String) -> DeviceError {
        DeviceError(
            .inputOutput, operation: call, device: info.name, reason: String(cString: csndfile_error_text(file)),
            advice: "the file is damaged, or its disk is gone")
    }
}
