/// Which of the blocks given to `performWhenActive` is to run now.
///
/// Each runs exactly once, in the order in which they were given, one at a time: at once when the scene is active, else
/// at the next activation. One given from inside another runs after those that wait already. A scene that leaves active
/// between two of them keeps the rest for the next activation.
package struct DeferredBlocks: Hashable, Sendable {
    private var waiting: [DeferredBlockID] = []

    package init() {}

    package var isEmpty: Bool { waiting.isEmpty }

    /// Takes a block in; ask ``next(isActive:)`` right after, it may be its turn. False when it waits already.
    @discardableResult
    package mutating func add(_ id: DeferredBlockID) -> Bool {
        guard !waiting.contains(id) else { return false }
        waiting.append(id)
        return true
    }

    /// Calls a block off. False when it has run, runs, or was never given: too late.
    @discardableResult
    package mutating func cancel(_ id: DeferredBlockID) -> Bool {
        guard let index = waiting.firstIndex(of: id) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Hands out the block to run now, and forgets it; nil when none waits or the scene is not active. Ask again when it
    /// has returned, after each ``add(_:)``, and at each activation.
    package mutating func next(isActive: Bool) -> DeferredBlockID? {
        guard isActive, !waiting.isEmpty else { return nil }
        return waiting.removeFirst()
    }

    /// Calls all off, at the scene's end; answers which.
    package mutating func removeAll() -> [DeferredBlockID] {
        defer { waiting = [] }
        return waiting
    }
}
