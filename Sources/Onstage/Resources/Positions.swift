internal import OnstageCore
internal import OnstagePlayback
package import OnstageStore
internal import Synchronization

/// Where players keep their positions beyond the end of the process and of the power.
///
/// A broken store is moved aside, one that cannot be written is done without: both with one warning, neither with an error.
public final class Positions: Sendable {
    package let store: PositionStore

    /// - Parameters:
    ///   - directory: where the store is, made at first use; ``standardDirectory`` if not given. Nil keeps positions in
    ///     memory only.
    ///   - log: hears one line for each warning, on the store's thread.
    public init(directory: String? = Positions.standardDirectory, log: @escaping @Sendable (String) -> Void = { _ in })
    {
        store = PositionStore(directory: directory, log: log)
    }

    /// Writes what is left and ends the store's thread; waits for at most 2 s. *Runs on:* a thread that may wait for a disk.
    public func close() {
        store.close()
    }
}

/// One media's positions in a store.
struct MediaJournal: PositionJournal {
    let store: PositionStore
    let media: MediaIdentity
    let rate: Int64
    let frames: Int64?
    /// How often the position is kept while it plays; nil for at pauses only.
    var interval: Duration?
    /// Where it is; nil until its player has been made.
    var controls: PlaybackControls?

    func record(_ position: Int64, scene: String, stored: (@Sendable (MonotonicTime) -> Void)?) {
        store.record(position, rate: rate, frames: frames, for: media, scene: scene) { at in
            if let at { stored?(at) }
        }
    }

    func follow(scene: String) -> (@Sendable () -> Void)? {
        guard let interval, let controls else { return nil }
        let follow = store.follow(
            rate: rate, frames: frames, for: media, scene: scene, every: interval, position: { controls.position })
        return { follow.end() }
    }
}
