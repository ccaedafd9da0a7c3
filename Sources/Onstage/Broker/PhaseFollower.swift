/// Where somebody who reads phases is told of them.
struct PhaseFollower: Sendable {
    /// Answers false when nobody reads any more.
    let yield: @Sendable (PhaseChange) -> Bool
    let finish: @Sendable () -> Void

    /// A sequence that `follow` is to feed from then on.
    static func changes(
        _ follow: (PhaseFollower) -> Void
    ) -> some AsyncSequence<PhaseChange, Never> & Sendable {
        AsyncStream(PhaseChange.self, bufferingPolicy: .bufferingNewest(4096)) { continuation in
            follow(
                PhaseFollower {
                    if case .terminated = continuation.yield($0) { false } else { true }
                } finish: {
                    continuation.finish()
                })
        }
    }
}
