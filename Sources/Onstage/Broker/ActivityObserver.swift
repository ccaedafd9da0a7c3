/// Told of a scene's lifecycle in Android's words: the same machine, the same order. Every callback is optional.
///
/// *Runs on:* the broker's callback executor, one at a time. As on Android, a scene that is interrupted hears `onPause` and
/// `onResume` alone, and one whose process is simply gone hears nothing. A class that has one of ``SceneObserver``'s callbacks
/// itself hears that in place of Android's, and one that inherits ``SceneObserver`` from its superclass only that.
public protocol ActivityObserver: SceneObserver {
    /// `didFinishLaunching`.
    func onCreate(_ scene: Scene)
    /// `willEnterForeground`.
    func onStart(_ scene: Scene)
    /// `didBecomeActive`.
    func onResume(_ scene: Scene)
    /// `willResignActive`.
    func onPause(_ scene: Scene)
    /// `didEnterBackground`.
    func onStop(_ scene: Scene)
    /// `willTerminate`.
    func onDestroy(_ scene: Scene)
}

extension ActivityObserver {
    public func onCreate(_ scene: Scene) {}
    public func onStart(_ scene: Scene) {}
    public func onResume(_ scene: Scene) {}
    public func onPause(_ scene: Scene) {}
    public func onStop(_ scene: Scene) {}
    public func onDestroy(_ scene: Scene) {}

    public func didFinishLaunching(_ scene: Scene) { onCreate(scene) }
    public func willEnterForeground(_ scene: Scene) { onStart(scene) }
    public func didBecomeActive(_ scene: Scene) { onResume(scene) }
    public func willResignActive(_ scene: Scene) { onPause(scene) }
    public func didEnterBackground(_ scene: Scene) { onStop(scene) }
    public func willTerminate(_ scene: Scene) { onDestroy(scene) }
}
