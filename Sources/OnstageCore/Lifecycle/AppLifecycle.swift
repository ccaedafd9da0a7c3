/// The lifecycle of the app, derived from its scenes, with its background event debounced.
///
/// The app stands where its foremost scene stands (``LifecycleState/init(appOf:)``), with one exception: when the last
/// visible scene goes to the background, the app waits at `inactive` for the delay. A return within it is no background
/// at all; a scene set that comes to `suspended` or `notRunning` cuts it short. A start without a screen
/// (`notRunning` → `background`) and the way back from `suspended` are not delayed: nobody has left.
///
/// When the last scene has ended, the app is `notRunning`; a scene that starts after that begins a new life of the app,
/// and its observers hear `didFinishLaunching` once more.
package struct AppLifecycle: Hashable, Sendable {
    package enum Event: Hashable, Sendable {
        /// Where all scenes stand now, in any order.
        case scenes([LifecycleState])
        /// The timer has come.
        case timer
    }

    package enum Effect: Hashable, Sendable {
        /// Send ``Event/timer`` at `deadline`; there is one timer at most.
        case startTimer(deadline: MonotonicTime)
        case cancelTimer
    }

    /// What a delay may be.
    package static let backgroundDelays: ClosedRange<Duration> = .zero ... .seconds(5)

    /// How long the app waits before it tells that it is in the background.
    package let backgroundDelay: Duration
    private var pass = LifecyclePass()
    private var deadline: MonotonicTime?

    /// With the usual delay of 700 ms.
    package init() {
        backgroundDelay = .milliseconds(700)
    }

    /// With a delay of 0…5 s.
    /// - Throws: `backgroundDelay` for any other.
    package init(backgroundDelay: Duration) throws(LifecycleError) {
        guard Self.backgroundDelays.contains(backgroundDelay) else { throw .backgroundDelay(backgroundDelay) }
        self.backgroundDelay = backgroundDelay
    }

    /// Where the app stands: what `app.phase` shows.
    package var phase: LifecycleState { pass.phase }

    /// Where the app will stand; `inactive` while its background event is held back.
    package var decided: LifecycleState { pass.wish }

    /// Whether there is no step left to take (a timer may still run).
    package var isSettled: Bool { pass.isSettled }

    /// Takes an event and answers what to do about the timer; ``next()`` has the steps that follow from it.
    ///
    /// Of a return and a timer that are due together, whichever is applied first counts.
    package mutating func apply(_ event: Event, now: MonotonicTime) -> [Effect] {
        switch (event, deadline) {
        case (.scenes(let scenes), _):
            return follow(LifecycleState(appOf: scenes), now: now)
        case (.timer, let deadline?) where now >= deadline:
            self.deadline = nil
            pass.wish = .background
            return []
        case (.timer, let deadline?):  // early: it is set again
            return [.startTimer(deadline: deadline)]
        case (.timer, nil):  // cancelled while it was on its way
            return []
        }
    }

    private mutating func follow(_ state: LifecycleState, now: MonotonicTime) -> [Effect] {
        if state == .background, isInFront, backgroundDelay > .zero {
            pass.wish = .inactive
            guard deadline == nil else { return [] }
            let deadline = now + backgroundDelay
            self.deadline = deadline
            return [.startTimer(deadline: deadline)]
        }
        pass.wish = state
        guard deadline != nil else { return [] }
        deadline = nil
        return [.cancelTimer]
    }

    /// Whether the app is to be seen and has got there: if it is still on its way up, or on its way down for good, there is
    /// nothing to hold back.
    private var isInFront: Bool {
        pass.wish.rung >= .started && pass.phase.rung >= .started
    }

    /// Registers an observer, the newest of all; it catches up by the next steps. One that is registered already stays
    /// where it is (false).
    @discardableResult
    package mutating func add(_ observer: ObserverID) -> Bool {
        pass.add(observer)
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
