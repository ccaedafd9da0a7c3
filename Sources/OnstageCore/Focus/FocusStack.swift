/// Who has the sound: those who asked for it and have not given it back, the last one on top.
///
/// Android's rules. A request for good empties the stack beneath it; one for a while pauses or ducks those beneath, and when
/// it goes each of them stands as those that are still above it ask: the strongest wish counts.
package struct FocusStack: Hashable, Sendable {
    /// Who asks. Never reused.
    package struct ID: Hashable, Sendable {
        package let number: UInt64
        package init(_ number: UInt64) {
            self.number = number
        }
    }

    /// What one of them is to be told.
    package struct Change: Hashable, Sendable {
        package var id: ID
        package var change: FocusChange
        package init(_ id: ID, _ change: FocusChange) {
            self.id = id
            self.change = change
        }
    }

    /// What one on the stack may do.
    package enum Standing: Hashable, Sendable {
        case full
        case ducked
        case paused
    }

    private struct Entry: Hashable, Sendable {
        let id: ID
        let focus: AudioFocus
        var standing = Standing.full
    }

    /// The top last.
    private var entries: [Entry] = []

    package init() {}

    /// Those on the stack, the top last.
    package var ids: [ID] { entries.map(\.id) }

    /// What it may do; nil where it is not on the stack.
    package func standing(_ id: ID) -> Standing? {
        entries.first { $0.id == id }?.standing
    }

    /// It has the sound from now on. Answers who is to be told what: those who fall silent first, itself last.
    package mutating func request(_ id: ID, _ focus: AudioFocus) -> [Change] {
        if let top = entries.last, top.id == id, top.focus == focus { return [] }
        let before = standing(id)
        entries.removeAll { $0.id == id }
        var changes: [Change] = []
        if focus.gain == .gain {
            changes = entries.reversed().map { Change($0.id, .lost) }
            entries = []
        }
        entries.append(Entry(id: id, focus: focus))
        changes += settle()
        if before != .full { changes.append(Change(id, .gained)) }
        return changes
    }

    /// It no longer wants the sound, or is gone. Answers who is to be told what.
    package mutating func abandon(_ id: ID) -> [Change] {
        entries.removeAll { $0.id == id }
        return settle()
    }

    /// Has each stand as those above it ask.
    private mutating func settle() -> [Change] {
        var changes: [Change] = []
        var (isPausing, isDucking) = (false, false)
        for index in entries.indices.reversed() {
            let entry = entries[index]
            let standing: Standing =
                if isPausing || isDucking && !entry.focus.mayBeDucked {
                    .paused
                } else if isDucking {
                    .ducked
                } else {
                    .full
                }
            if standing != entry.standing {
                entries[index].standing = standing
                changes.append(Change(entry.id, standing.change))
            }
            switch entry.focus.gain {
            case .transientMayDuck: isDucking = true
            case .gain, .transient, .transientExclusive: isPausing = true
            }
        }
        return changes
    }
}

extension FocusStack.Standing {
    /// How it is told.
    fileprivate var change: FocusChange {
        switch self {
        case .full: .gained
        case .ducked: .ducked
        case .paused: .lostTransiently
        }
    }
}
