/// Why a lifecycle event was refused; nothing has changed.
public enum LifecycleError: Error, Hashable, Sendable {
    /// The end has been wished: nothing but the end can be wished any more, and nobody can begin to observe.
    case ended
    /// A delay of the app's background event outside of 0…5 s.
    case backgroundDelay(Duration)
    /// An interruption ended that had not begun, or had ended already.
    case notInterrupted(reason: String?)
}

extension LifecycleError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .ended: "the scene has ended; make a new one"
        case .backgroundDelay(let delay): "a background delay of \(delay) is outside of 0…5 s"
        case .notInterrupted(let reason?): "no interruption \"\(reason)\" has begun that could end"
        case .notInterrupted(nil): "no interruption has begun that could end"
        }
    }
}
