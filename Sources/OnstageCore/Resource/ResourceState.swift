/// What a resource is doing with its device, in CameraX's words.
///
///     closed → opening → open → closing → closed
///     opening → pendingOpen → opening          busy, absent, evicted or failed for now: tried again
///     open → pendingOpen                       the device went away or the stream broke
///     opening | pendingOpen → closing | closed called off
public enum ResourceState: String, Hashable, Sendable, CaseIterable {
    /// Nothing is held and nothing is wanted (or the last try failed for good: then there is an error).
    case closed
    /// Wanted and waiting: busy, absent, evicted, or to be tried again.
    case pendingOpen
    case opening
    case open
    case closing
}
