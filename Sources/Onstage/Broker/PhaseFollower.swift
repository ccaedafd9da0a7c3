/// Where somebody who reads phases is told of them.
struct PhaseFollower: Sendable {
    /// Which one it is.
    final class Token: Sendable {}

    let token = Token()
    let yield: @Sendable (PhaseChange) -> Void
    let finish: @Sendable () -> Void

    /// A sequence that `follow` is to feed from then on, until `leave` says that nobody reads it any more.
    static func changes(
        _ follow: (PhaseFollower) -> Void, leave: @escaping @Sendable (Token) -> Void
    ) -> some AsyncSequence<PhaseChange, Never> & Sendable {
        AsyncStream(PhaseChange.self, bufferingPolicy: .bufferingNewest(4096)) { continuation in
            let follower = PhaseFollower {
                continuation.yield($0)
            } finish: {
                // Whoever ends it need not be told.
                continuation.onTermination = nil
                continuation.finish()
            }
            let token = follower.token
            continuation.onTermination = { _ in leave(token) }
            follow(follower)
        }
    }
}
