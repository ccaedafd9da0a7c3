internal import OnstageCore
internal import Synchronization

/// A position that the store asks for by itself, as often as its interval says: nobody else wakes for the journal.
package final class PositionFollow: Sendable {
    let key: PositionTable.Key
    let rate: Int64
    let frames: Int64?
    let interval: Duration
    private let position: @Sendable () -> Int64
    private let isOver = Atomic<Bool>(false)

    init(
        _ key: PositionTable.Key, rate: Int64, frames: Int64?, every interval: Duration,
        position: @escaping @Sendable () -> Int64
    ) {
        self.key = key
        self.rate = rate
        self.frames = frames
        self.interval = interval
        self.position = position
    }

    /// From now on it is asked for no more. What is recorded after this call stands.
    ///
    /// *Runs on:* any thread; never waits.
    package func end() {
        isOver.store(true, ordering: .releasing)
    }

    /// Where it is now; nil when that is over. *Runs on:* the store's thread.
    func ask() -> Int64? {
        if isOver.load(ordering: .acquiring) { return nil }
        let now = position()
        // Asked again: what was read after the end is no longer this one's.
        return isOver.load(ordering: .acquiring) ? nil : max(now, 0)
    }
}
