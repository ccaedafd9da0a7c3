public import OnstageCore

/// A phase has moved along one arrow.
public struct PhaseChange: Hashable, Sendable {
    public let old: LifecycleState
    public let new: LifecycleState
    public let at: MonotonicTime
}

extension Scene {
    /// Each move of the scene's phase from now on, in order, to its end. A reader that does not keep up loses the oldest of
    /// more than 4,096. SwiftUI: `onChange(of: scenePhase)`.
    public var phases: some AsyncSequence<PhaseChange, Never> & Sendable {
        PhaseFollower.changes(id, broker.decider)
    }
}

extension Broker {
    /// Each move of the app's phase from now on, in order, until the broker is closed. A reader that does not keep up loses
    /// the oldest of more than 4,096.
    public var phases: some AsyncSequence<PhaseChange, Never> & Sendable {
        PhaseFollower.changes(nil, decider)
    }
}
