public import OnstageCore

/// Told of a scene's lifecycle, in iOS's words and order. Every callback is optional.
///
/// *Runs on:* the broker's callback executor, one at a time. Up-events go from the oldest observer to the newest,
/// down-events from the newest to the oldest.
public protocol SceneObserver: AnyObject, Sendable {
    func didFinishLaunching(_ scene: Scene)
    func willEnterForeground(_ scene: Scene)
    func didBecomeActive(_ scene: Scene)
    func willResignActive(_ scene: Scene)
    func didEnterBackground(_ scene: Scene)
    func willTerminate(_ scene: Scene)
    /// The scene is gone for good, which comes right behind `willTerminate`: as that, not for a scene that was suspended.
    func didDisconnect(_ scene: Scene)
}

extension SceneObserver {
    public func didFinishLaunching(_ scene: Scene) {}
    public func willEnterForeground(_ scene: Scene) {}
    public func didBecomeActive(_ scene: Scene) {}
    public func willResignActive(_ scene: Scene) {}
    public func didEnterBackground(_ scene: Scene) {}
    public func willTerminate(_ scene: Scene) {}
    public func didDisconnect(_ scene: Scene) {}

    func receive(_ callback: LifecycleCallback, _ scene: Scene) {
        switch callback {
        case .didFinishLaunching: didFinishLaunching(scene)
        case .willEnterForeground: willEnterForeground(scene)
        case .didBecomeActive: didBecomeActive(scene)
        case .willResignActive: willResignActive(scene)
        case .didEnterBackground: didEnterBackground(scene)
        case .willTerminate:
            willTerminate(scene)
            didDisconnect(scene)
        }
    }
}

/// Told of the app's lifecycle: as ``SceneObserver``, for all scenes together.
public protocol AppObserver: AnyObject, Sendable {
    /// *Runs on:* the broker's callback executor.
    func app(_ broker: Broker, _ callback: LifecycleCallback)
}

/// Something that shows what a camera or an app shows, and can show a shade instead.
///
/// *Runs on:* the broker's callback executor. `showShade` has returned before any observer hears `willResignActive`;
/// `hideShade` is called after all have heard `didBecomeActive`.
public protocol ShadeSink: AnyObject, Sendable {
    func showShade()
    func hideShade()
}
