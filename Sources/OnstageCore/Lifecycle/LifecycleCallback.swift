/// What an observer of a scene, or of the app, is told; in iOS's words.
///
/// Up: ``didFinishLaunching`` (once in a life), ``willEnterForeground``, ``didBecomeActive``. Down: ``willResignActive``,
/// ``didEnterBackground``, ``willTerminate``. Nothing is told of `background` ⇄ `suspended`, and nothing of
/// `suspended` → `notRunning`: there the process is simply gone.
public enum LifecycleCallback: String, Hashable, Sendable, CaseIterable {
    case didFinishLaunching
    case willEnterForeground
    case didBecomeActive
    case willResignActive
    case didEnterBackground
    case willTerminate

    /// The same moment in Android's words ("onResume").
    public var androidName: String {
        switch self {
        case .didFinishLaunching: "onCreate"
        case .willEnterForeground: "onStart"
        case .didBecomeActive: "onResume"
        case .willResignActive: "onPause"
        case .didEnterBackground: "onStop"
        case .willTerminate: "onDestroy"
        }
    }

    /// Whether it tells of a step towards `active`: such go to the oldest observer first, the others to the newest first.
    public var isUp: Bool {
        switch self {
        case .didFinishLaunching, .willEnterForeground, .didBecomeActive: true
        case .willResignActive, .didEnterBackground, .willTerminate: false
        }
    }

    /// What one observer is told of one arrow of the graph, in order; nil when the graph has no such arrow.
    package static func callbacks(from: LifecycleState, to: LifecycleState) -> [LifecycleCallback]? {
        guard from.hop(toward: to) == to else { return nil }
        if from == .suspended, to == .notRunning { return [] }
        var callbacks: [LifecycleCallback] = []
        var rung = from.rung
        while rung != to.rung {
            guard let step = rung < to.rung ? rung.up : rung.down else { break }
            callbacks.append(step.callback)
            rung = step.rung
        }
        return callbacks
    }
}
