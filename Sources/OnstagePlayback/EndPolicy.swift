/// What becomes of a sound's position when its last frame has been heard. In a loop there is no end.
@nonexhaustive
public enum EndPolicy: String, Hashable, Sendable, CaseIterable {
    /// It goes back to frame 0: whoever plays next, in this process or a later one, hears the sound from its beginning.
    case rewind
    /// It stays behind the last frame, and is kept there: nothing is played any more until a seek, in a later process neither.
    case stay
}
