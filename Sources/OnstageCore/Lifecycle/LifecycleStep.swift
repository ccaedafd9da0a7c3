/// The one thing to do next on the way to what is wished.
package enum LifecycleStep: Hashable, Sendable {
    /// The phase has moved along one arrow: record it, and tell whoever derives from it.
    case transition(from: LifecycleState, to: LifecycleState)
    /// Run this callback of this observer, and ask for the next step when it has returned.
    case deliver(ObserverID, LifecycleCallback)
}
