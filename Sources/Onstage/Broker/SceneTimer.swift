internal import OnstageCore

/// A timer that runs while its scene is active; see ``Scene/every(_:_:)`` and ``Scene/after(_:_:)``.
public struct SceneTimer: Sendable {
    let id: SceneTimerID
    let scene: SceneID
    let broker: Broker

    /// Calls it off: nothing of it begins from then on, but for a call that is on its way. *Runs on:* any thread.
    public func cancel() {
        broker.decider.send(.cancelTimer(scene, id))
    }
}
