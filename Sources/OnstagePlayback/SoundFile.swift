package import OnstageCore

/// How a sound file is read.
package enum SoundFile {
    /// Opens `path` and reads its header: a plain WAV by itself, everything else by libsndfile, which is then loaded.
    ///
    /// *Runs on:* a thread that may wait for a disk.
    /// - Throws: `absent` when there is no such file, `permission`, and `configuration` for what cannot be played or
    ///   where libsndfile is not installed.
    package static func open(_ path: String) throws(DeviceError) -> any MediaSource {
        if let plain = try PlainWAV(path: path) { return plain }
        return try MediaFile(path: path)
    }
}
