/// How far up an observer has been told, one callback between any two neighbours.
///
/// Android's states: `suspended` is `background` to an observer, and a cold start climbs two rungs, so that an observer
/// that has heard `didFinishLaunching` only stands exactly where a start without a screen would have left it.
package enum LifecycleRung: Int, Hashable, Sendable, Comparable, CaseIterable {
    case none
    case created
    case started
    case resumed

    package static func < (a: LifecycleRung, b: LifecycleRung) -> Bool {
        a.rawValue < b.rawValue
    }

    /// The rung above, and what is told on the way there; nil at the top.
    package var up: (rung: LifecycleRung, callback: LifecycleCallback)? {
        switch self {
        case .none: (.created, .didFinishLaunching)
        case .created: (.started, .willEnterForeground)
        case .started: (.resumed, .didBecomeActive)
        case .resumed: nil
        }
    }

    /// The rung below, and what is told on the way there; nil at the bottom.
    package var down: (rung: LifecycleRung, callback: LifecycleCallback)? {
        switch self {
        case .none: nil
        case .created: (.none, .willTerminate)
        case .started: (.created, .didEnterBackground)
        case .resumed: (.started, .willResignActive)
        }
    }
}
