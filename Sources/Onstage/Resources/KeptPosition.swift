/// A position that outlives the process that heard it.
public struct KeptPosition: Hashable, Sendable {
    /// What it belongs to.
    public enum Media: Hashable, Sendable {
        /// A file, by its canonical path; another recording under the same name has a position of its own.
        case file(String)
        /// What an app called it.
        case key(String)
    }

    public var media: Media
    /// The scene that played it.
    public var scene: String
    /// The source frame that is heard next; nil where what is kept cannot be believed.
    public var position: Int64?
    /// Source frames per second; 0 where it was not known.
    public var rate: Int
    /// Frames of the whole; nil where that was not known.
    public var frames: Int64?
    /// When it was kept, in nanoseconds since 1970 by the wall clock: for people.
    public var kept: Int64
    /// Whether the file is still there, and the same one; true for a key.
    public var isCurrent: Bool
    /// Why the position cannot be believed.
    public var doubt: String?
}
