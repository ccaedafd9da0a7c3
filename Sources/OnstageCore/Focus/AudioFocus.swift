/// How a player shares the sound with the other players of its process.
///
/// Media3's four kinds of audio focus. Who asked last has the sound; what that means to the others is the kind's to say.
public struct AudioFocus: Hashable, Sendable {
    /// What is asked for.
    public enum Gain: String, Hashable, Sendable, CaseIterable {
        /// The sound, for good: the others pause as by the user, and do not go on by themselves (music, a film).
        /// Android: `AUDIOFOCUS_GAIN`.
        case gain
        /// The sound for a while: the others pause, and go on afterwards (an alarm, a call).
        /// Android: `AUDIOFOCUS_GAIN_TRANSIENT`.
        case transient
        /// The sound for a while, over the others, which play on softly (an announcement, a direction).
        /// Android: `AUDIOFOCUS_GAIN_TRANSIENT_MAY_DUCK`.
        case transientMayDuck
        /// The sound for a while, and nothing else to be heard with it: it is never ducked itself (a memo being recorded).
        /// Android: `AUDIOFOCUS_GAIN_TRANSIENT_EXCLUSIVE`.
        case transientExclusive
    }

    public var gain: Gain
    /// Somebody speaks, and words played softly would be missed: where it would be ducked it pauses instead.
    public var isSpeech: Bool

    public init(_ gain: Gain = .gain, isSpeech: Bool = false) {
        self.gain = gain
        self.isSpeech = isSpeech
    }

    /// Whether it may be played softly while others are heard.
    package var mayBeDucked: Bool { !isSpeech && gain != .transientExclusive }
}

/// What has become of a player's focus; see ``AudioFocus``.
public enum FocusChange: String, Hashable, Sendable, CaseIterable {
    /// It has the sound, at its full volume. Android: `AUDIOFOCUS_GAIN`.
    case gained
    /// Another has it for good. Android: `AUDIOFOCUS_LOSS`.
    case lost
    /// Another has it for a while. Android: `AUDIOFOCUS_LOSS_TRANSIENT`.
    case lostTransiently
    /// Another has it for a while, over this one, which plays on softly. Android: `AUDIOFOCUS_LOSS_TRANSIENT_CAN_DUCK`.
    case ducked
}
