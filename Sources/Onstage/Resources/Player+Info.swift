public import OnstageCore
public import OnstagePlayback

extension MediaInfo {
    /// What the header of the sound file at `path` says; no device is touched.
    ///
    /// *Runs on:* a thread that may wait for a disk.
    /// - Throws: `absent`, `permission`; `configuration` for a file that cannot be played, with the reason.
    public init(file path: String) throws(DeviceError) {
        self = try SoundFile.open(path).info
    }
}
