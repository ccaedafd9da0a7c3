/// Where somebody who reads phases is told of them.
struct PhaseFollower: Sendable {
    /// Which one it is.
    final class Token: Sendable {}

    let token = Token()
    let yield: @Sendable (PhaseChange) -> Void
    let finish: @Sendable () -> Void

    /// A sequence that the decider feeds from then on, until nobody reads it any more.
    ///
    /// - Parameters:
    ///   - scene: whose phases, or nil for the app's.
    ///   - made: is told which follower feeds it.
    static func changes(
        _ scene: SceneID?, _ decider: Decider, made: (Token) -> Void = { _ in }
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
            continuation.onTermination = { _ in decider.send(.leavePhase(scene, token)) }
            decider.send(.followPhase(scene, follower))
            made(token)
        }
    }
}
