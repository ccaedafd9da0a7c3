internal import CMpg123
internal import OnstageCore

/// An MPEG audio file (MP3, and layers I and II), read by libmpg123 itself.
///
/// By way of libsndfile 1.2.0, which has the same decoder, a file without an info frame is played for as long as is guessed
/// from its first frames (half of it, in one tried), each seek may write lines to standard error, and at low bit rates
/// comes out wrong until the decoder's reservoir is full again.
///
/// The frame numbers are those of the sound as it was before it was encoded where the file tells its encoder's delay (a LAME
/// tag), else they count from the first that is decoded.
///
/// Unchecked: a handle of libmpg123 is for one thread at a time, and that is what ``MediaSource`` promises.
final class MPEGFile: MediaSource, @unchecked Sendable {
    let info: MediaInfo
    let format = SourceFormat.float
    private let file: OpaquePointer
    private let frameBytes: Int

    /// Opens `path`; reads all of it once where its head does not tell its length.
    /// - Throws: `absent`, `permission`; `configuration` for what cannot be played, or where libmpg123 is not installed.
    /// *Runs on:* a thread that may wait for a disk. *C: `mpg123_open`, `mpg123_scan`.*
    init(path: String, head: MPEGHead) throws(DeviceError) {
        if let missing = cmpg123_load() {
            throw DeviceError(.configuration, operation: "dlopen", device: path, reason: String(cString: missing))
        }
        var (rate, channels): (Int, Int32) = (0, 0)
        var fault: UnsafePointer<CChar>?
        guard let file = cmpg123_open(path, &rate, &channels, &fault) else {
            throw DeviceError(
                .configuration, operation: "mpg123_open", device: path,
                reason: fault.map { String(cString: $0) } ?? "it cannot be decoded",
                advice: "WAV, FLAC, Ogg, Opus, MP3 and AIFF files can be played")
        }
        var oddities: [String] = []
        if !head.hasLength, cmpg123_scan(file) < 0 {
            oddities.append("it is damaged: \(String(cString: cmpg123_error_text(file)))")
        }
        let layer = cmpg123_layer(file)
        self.file = file
        frameBytes = Int(channels) * format.bytes
        info = MediaInfo(
            name: path, rate: rate, channels: Int(channels), format: layer == 3 ? "MP3" : "MPEG layer \(layer)",
            frames: max(0, cmpg123_length(file)), oddities: oddities)
    }

    deinit {
        cmpg123_close(file)
    }

    func seek(to frame: Int64) throws(DeviceError) {
        guard cmpg123_seek(file, frame) == frame else { throw broken("mpg123_seek") }
    }

    func read(into samples: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int {
        let answer = cmpg123_read(file, samples, frames * frameBytes, info.rate, Int32(info.channels))
        guard answer >= 0 else {
            throw answer == -2
                ? DeviceError(
                    .configuration, operation: "mpg123_read", device: info.name,
                    reason: "its rate or its channels change in the midst of it")
                : broken("mpg123_read")
        }
        return answer / frameBytes
    }

    private func broken(_ call: String) -> DeviceError {
        DeviceError(
            .inputOutput, operation: call, device: info.name, reason: String(cString: cmpg123_error_text(file)),
            advice: "the file is damaged, or its disk is gone")
    }
}
