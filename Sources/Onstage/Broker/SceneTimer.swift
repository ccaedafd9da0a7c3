internal import OnstageCore
internal import Synchronization

/// A timer that runs while its scene is active; see ``Scene/every(_:_:)`` and ``Scene/after(_:_:)``.
public struct SceneTimer: Sendable {
    let id: SceneTimerID
    let scene: SceneID
    let broker: Broker
    let isOff: Flag

    /// Looked at when a call begins: it may have been on its way when the timer was called off.
    final class Flag: Sendable {
        let value = Atomic(false)
    }

    /// Calls it off: no call of it begins from then on. *Runs on:* any thread.
    public func cancel() {
        isOff.value.store(true, ordering: .releasing)
        broker.decider.send(.cancelTimer(scene, id))
    }
}
