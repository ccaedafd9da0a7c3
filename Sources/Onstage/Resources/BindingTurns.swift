internal import Synchronization

/// Whose turn it is to have a resource's driver, among the bindings of all brokers.
///
/// Two drivers of one resource would share its sinks and its position: a binding begins when the one before it, of
/// whichever broker, has given everything back.
final class BindingTurns: Sendable {
    private struct Waiting: Sendable {
        let token: ResourceHandle.Token
        let begin: @Sendable () -> Void
    }

    private struct State: Sendable {
        var holder: ResourceHandle.Token?
        var waiting: [Waiting] = []
    }

    private let state = Mutex(State())

    /// Whether it is the turn of `token`; if not, `begin` is called when it has come. *Runs on:* any thread.
    func take(_ token: ResourceHandle.Token, begin: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.holder == nil { state.holder = token }
            guard state.holder != token else { return true }
            state.waiting.append(Waiting(token: token, begin: begin))
            return false
        }
    }

    /// Ends the turn of `token`, or its wait; the next begins. *Runs on:* any thread.
    func leave(_ token: ResourceHandle.Token) {
        let next = state.withLock { state -> Waiting? in
            state.waiting.removeAll { $0.token == token }
            guard state.holder == token else { return nil }
            let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            state.holder = next?.token
            return next
        }
        next?.begin()
    }
}
