/// Why ``Player/playWhenReady`` has changed.
@nonexhaustive
public enum PlayWhenReadyReason: String, Hashable, Sendable, CaseIterable {
    /// The app set it, or an interruption ended after which nothing is to go on. Media3: `…_USER_REQUEST`.
    case user
    /// Another player has the sound for good (``AudioFocus``). Media3: `…_AUDIO_FOCUS_LOSS`.
    case focusLoss
}
