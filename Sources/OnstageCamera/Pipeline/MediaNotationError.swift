/// What is wrong with a text in media-ctl's notation.
public struct MediaNotationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which character, counted from 1.
    public var position: Int
    /// What is wrong there, in words.
    public var message: String

    public var description: String { "at character \(position): \(message)" }
}
