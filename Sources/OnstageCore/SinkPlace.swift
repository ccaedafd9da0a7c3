/// Where a sink's calls run. The same words hold for frames, samples and sound.
public enum SinkPlace: String, Hashable, Sendable {
    /// On a thread of the sink's own, fed through a slot for the newest; a slow sink misses what came meanwhile, and
    /// nothing waits for it.
    case queued
    /// On the device's thread, for work that takes less than a period: everything of that device, a release too, waits
    /// for its return.
    case inline
}
