internal import OnstageCore
internal import Synchronization

/// The one focus stack of a process, and how those on it are told: players of different brokers share the sound as well.
package final class FocusHub: Sendable {
    /// Told of a change, with its turn: of two the one with the higher turn came later. Called with the stack's lock held, so
    /// that everybody hears in the order of the changes: it may put something in a mailbox, and nothing else.
    typealias Tell = @Sendable (FocusChange, _ turn: UInt64) -> Void

    private struct State: Sendable {
        var stack = FocusStack()
        var tells: [FocusStack.ID: Tell] = [:]
        var lastID: UInt64 = 0
        var turn: UInt64 = 0

        /// Tells everybody but `asker`.
        mutating func tell(_ changes: [FocusStack.Change], but asker: FocusStack.ID) {
            for change in changes where change.id != asker {
                tells[change.id]?(change.change, turn)
                if change.change == .lost { tells[change.id] = nil }
            }
        }
    }

    /// The one that brokers share unless they are given another.
    package static let process = FocusHub()

    private let state = Mutex(State())

    package init() {}

    func newID() -> FocusStack.ID {
        state.withLock { state in
            state.lastID += 1
            return FocusStack.ID(state.lastID)
        }
    }

    /// It has the sound from now on. The others are told; answers the turn: changes of an earlier one that are still on their
    /// way to the asker are of no account any more. *Runs on:* any thread.
    func request(_ id: FocusStack.ID, _ focus: AudioFocus, tell: @escaping Tell) -> UInt64 {
        state.withLock { state in
            let changes = state.stack.request(id, focus)
            state.turn += 1
            state.tell(changes, but: id)
            state.tells[id] = tell
            return state.turn
        }
    }

    /// It gives the sound back; whoever has it now is told. *Runs on:* any thread.
    func abandon(_ id: FocusStack.ID) {
        state.withLock { state in
            let changes = state.stack.abandon(id)
            state.turn += 1
            state.tell(changes, but: id)
            state.tells[id] = nil
        }
    }
}
