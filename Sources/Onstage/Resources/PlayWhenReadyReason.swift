/// Why ``Player/playWhenReady`` has changed.
@nonexhaustive
public enum PlayWhenReadyReason: String, Hashable, Sendable, CaseIterable {
    /// The app set it, or an interruption ended after which nothing is to go on. Media3: `…_USER_REQUEST`.
    case user
    /// Another player has the sound for good (``AudioFocus``). Media3: `…_AUDIO_FOCUS_LOSS`.
    case focusLoss
    /// Its headphones were pulled, or the card that it played on went away (``Player/Options/pausesWhenNoisy``).
    /// Media3: `…_AUDIO_BECOMING_NOISY`.
    case becomingNoisy
}
