package import OnstageCore

/// Where a player's position is kept so that it outlives the process.
///
/// Answers at once and never waits for the disk; what it writes is told later through the completion.
package protocol PositionJournal: Sendable {
    /// The position to keep for `scene` from now on: the source frame that is heard next. `stored` is called when it is on
    /// the disk, on a thread of the journal's own; never if it cannot be written.
    func record(_ position: Int64, scene: String, stored: (@Sendable (MonotonicTime) -> Void)?)

    /// Keeps the position for `scene` from now on, as often as is wished, until the answer is called; nil where it is kept at
    /// pauses only. What is recorded after that call stands.
    func follow(scene: String) -> (@Sendable () -> Void)?
}
