/// The interruptions that stand over one scene.
///
/// Each `began` waits for an `ended` of its own; they may nest and cross, and a kind is interrupted while any that names
/// it, or names none, stands. Nothing but `ended` takes one away: not a return to active, and not time. None of them moves
/// the scene's state.
package struct Interruptions: Hashable, Sendable {
    /// One interruption that has begun and not ended.
    package struct Standing: Hashable, Sendable {
        /// Its source's word for it ("call").
        package var reason: String
        /// The only kind it interrupts; nil for all.
        package var kind: ResourceKind?

        package init(reason: String, kind: ResourceKind?) {
            self.reason = reason
            self.kind = kind
        }

        package func covers(_ kind: ResourceKind) -> Bool {
            self.kind == nil || self.kind == kind
        }
    }

    /// What one `began` or `ended` came to.
    package struct Change: Hashable, Sendable {
        /// Which one began or ended.
        package var interruption: Standing
        /// Kinds that are interrupted from now on and were not before.
        package var interrupted: Set<ResourceKind> = []
        /// Kinds that are no longer interrupted.
        package var freed: Set<ResourceKind> = []
        /// Playback is to be paused as by the user: only a play takes that away, other `ended`s do not.
        package var pausesPlayback = false
    }

    /// Oldest first.
    package private(set) var standing: [Standing] = []

    package init() {}

    /// The kinds that are interrupted now.
    package var kinds: Set<ResourceKind> {
        Set(ResourceKind.allCases.filter(isInterrupted))
    }

    package func isInterrupted(_ kind: ResourceKind) -> Bool {
        standing.contains { $0.covers(kind) }
    }

    /// An interruption begins, of one kind or of all (nil).
    package mutating func began(reason: String, kind: ResourceKind?) -> Change {
        let before = kinds
        let interruption = Standing(reason: reason, kind: kind)
        standing.append(interruption)
        return Change(interruption: interruption, interrupted: kinds.subtracting(before))
    }

    /// An interruption ends: the newest with `reason`, or the newest of all for nil.
    ///
    /// One that should not resume leaves playback paused as by the user, if it interrupted audio; camera and sensors go on.
    /// - Throws: `notInterrupted` when there is none such.
    package mutating func ended(reason: String? = nil, shouldResume: Bool) throws(LifecycleError) -> Change {
        guard let index = standing.lastIndex(where: { reason == nil || $0.reason == reason }) else {
            throw .notInterrupted(reason: reason)
        }
        let before = kinds
        let interruption = standing.remove(at: index)
        return Change(
            interruption: interruption, freed: before.subtracting(kinds),
            pausesPlayback: !shouldResume && interruption.covers(.audio))
    }
}
