package import OnstageCore

/// What the broker tells a bound resource of itself, in order, on the deciding thread: it must not wait.
package enum ResourceEvent: Sendable {
    case bound
    case unbound
    /// Its state, its error or the reasons that keep it from running: see ``ResourceHandle/snapshot``.
    case changed
    /// The first frame, sample or sound since this acquire.
    case first
    /// Its device is open and silent, because its media has not come; or that is over.
    case waiting(Bool)
    case released(ReleaseReceipt)
    case stored(position: Int64)
    case recovered(DeviceError)
    case note(String)
    case ended
    /// Who has the sound has changed.
    case focus(FocusChange)
    /// Its interval (``ResourceHandle/tick``) has passed, and its device is open.
    case tick
    /// Somebody watches it from now on, or no longer.
    case watched
    /// Its position is another one, by a wish.
    case sought
    /// Its kept position has been read.
    case restored
}
