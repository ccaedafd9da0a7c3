public import OnstageCore

/// Told of the app's lifecycle, in iOS's words and order. Every callback is optional.
///
/// *Runs on:* the broker's callback executor, one at a time. Nothing is told of the way from suspended to the end, and
/// nothing but `willEnterForeground` and `didBecomeActive` of the way back from it: only a start has `didFinishLaunching`.
/// When the last scene has ended, so has the app, behind the scene's own observers; a scene that starts after that begins
/// with `didFinishLaunching` again, in the same process. An app that is started in the background hears
/// `didFinishLaunching` alone: look at `phase` before anything of the screen is touched.
public protocol AppDelegate: AppObserver {
    func didFinishLaunching(_ app: Broker)
    func willEnterForeground(_ app: Broker)
    func didBecomeActive(_ app: Broker)
    func willResignActive(_ app: Broker)
    /// Comes `backgroundDelay` after the last scene has left, or sooner when it is suspended or ended; not when one returns
    /// within it.
    func didEnterBackground(_ app: Broker)
    func willTerminate(_ app: Broker)
}

extension AppDelegate {
    public func didFinishLaunching(_ app: Broker) {}
    public func willEnterForeground(_ app: Broker) {}
    public func didBecomeActive(_ app: Broker) {}
    public func willResignActive(_ app: Broker) {}
    public func didEnterBackground(_ app: Broker) {}
    public func willTerminate(_ app: Broker) {}

    public func app(_ broker: Broker, _ callback: LifecycleCallback) {
        switch callback {
        case .didFinishLaunching: didFinishLaunching(broker)
        case .willEnterForeground: willEnterForeground(broker)
        case .didBecomeActive: didBecomeActive(broker)
        case .willResignActive: willResignActive(broker)
        case .didEnterBackground: didEnterBackground(broker)
        case .willTerminate: willTerminate(broker)
        }
    }
}
