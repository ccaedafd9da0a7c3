/// The lifecycle of one scene: what was wished last, where its phase stands, who has been told.
///
/// A wish that skips states visits each of them in order (``LifecycleState/chain(to:)``); one for the present state does
/// nothing. Wishes are taken at any moment, also between the steps of a pass and from inside a callback; they never
/// nest, the last one wins, and those that were overtaken before a step was taken leave no trace.
///
/// The end is final from the moment it is wished, not from the moment it is reached: so it does not depend on how far
/// the callbacks have come whether a later wish is refused. Wishing it again is allowed. A scene that was never wished
/// to run is not ended by it: `notRunning` is its present state.
///
/// What always holds, besides what ``LifecyclePass`` says: when ``next()`` answers nil, the phase is the last accepted
/// wish and every observer has been told so; each observer's callbacks are a walk along the arrows (so
/// `willResignActive` and `didBecomeActive` alternate, and `didFinishLaunching` comes first and once); none comes after
/// `willTerminate`.
package struct SceneLifecycle: Hashable, Sendable {
    private var pass = LifecyclePass()
    /// Whether the end has been wished.
    package private(set) var isEnded = false

    package init() {}

    /// Where the scene stands: what `scene.phase` shows.
    package var phase: LifecycleState { pass.phase }

    /// Where the scene will stand: what resources go by. Devices do not wait for callbacks.
    package var decided: LifecycleState { pass.wish }

    /// Whether there is no step left to take.
    package var isSettled: Bool { pass.isSettled }

    /// Wishes the scene to stand at `state` in the end; ``next()`` has the steps.
    /// - Throws: `ended` for anything but the end after the end.
    package mutating func wish(_ state: LifecycleState) throws(LifecycleError) {
        if isEnded {
            guard state == .notRunning else { throw .ended }
            return
        }
        if state == .notRunning, pass.wish != .notRunning { isEnded = true }
        pass.wish = state
    }

    /// Ends it for good, also where it was never wished to run.
    package mutating func end() {
        isEnded = true
        pass.wish = .notRunning
    }

    /// Registers an observer, the newest of all; it catches up by the next steps. One that is registered already stays
    /// where it is (false).
    /// - Throws: `ended` after the end.
    @discardableResult
    package mutating func add(_ observer: ObserverID) throws(LifecycleError) -> Bool {
        guard !isEnded else { throw .ended }
        return pass.add(observer)
    }

    /// Forgets an observer; nothing is told to it any more. False when there is none such.
    @discardableResult
    package mutating func remove(_ observer: ObserverID) -> Bool {
        pass.remove(observer)
    }

    /// How far an observer has been told; nil when there is none such.
    package func rung(of observer: ObserverID) -> LifecycleRung? {
        pass.rung(of: observer)
    }

    /// Takes the next step and answers it; nil when all is as wished. Ask again when a delivered callback has returned.
    package mutating func next() -> LifecycleStep? {
        pass.next()
    }
}
