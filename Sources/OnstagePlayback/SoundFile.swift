package import OnstageCore

/// How a sound file is read.
package enum SoundFile {
    /// Opens `path` and reads its header: a plain WAV by itself, MPEG audio by libmpg123, everything else by
    /// libsndfile; each is loaded when it is needed.
    ///
    /// *Runs on:* a thread that may wait for a disk.
    /// - Throws: `absent` when there is no such file, `permission`, and `configuration` for what cannot be played or
    ///   where its library is not installed.
    package static func open(_ path: String) throws(DeviceError) -> any MediaSource {
        if let plain = try PlainWAV(path: path) { return plain }
        if let head = MPEGHead(path: path) { return try MPEGFile(path: path, head: head) }
        return try MediaFile(path: path)
    }
}
