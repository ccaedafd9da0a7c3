internal import OnstageCore
internal import OnstageLinux

extension Player {
    /// What it is doing now. *Runs on:* any thread; a snapshot of what observers were told last.
    public var playerState: PlayerState { observers.told }

    /// Calls `body` with everything that happens to this player, in order, beginning with the state that it is in.
    ///
    /// While it is bound to no scene nothing happens to it: the first state comes with the binding. A call that is on its way
    /// when the observation is cancelled still comes.
    /// *Runs on:* the broker's callback executor, one call at a time.
    ///
    /// - Parameter positionEvery: how often a ``PlayerEvent/position(_:)`` is told while it plays, 10 ms or more; nil for after
    ///   seeks and pauses only. Each wakes the processor.
    @discardableResult
    public func onEvent(
        positionEvery interval: Duration? = nil, _ body: @escaping @Sendable (PlayerEvent) -> Void
    ) -> PlayerObservation {
        let id = observers.add(interval.map { max($0, .milliseconds(10)) }, handle) { event, broker in
            broker.callbacks.run { body(event) }
        }
        return PlayerObservation(player: self, id: id)
    }

    /// As ``onEvent(positionEvery:_:)``, on the broker's deciding thread: `observe` must not wait.
    package func observe(
        positionEvery interval: Duration? = nil, _ observe: @escaping @Sendable (PlayerEvent) -> Void
    ) {
        _ = observers.add(interval.map { max($0, .milliseconds(10)) }, handle) { event, _ in observe(event) }
    }

    /// The same as a sequence. A reader that does not keep up loses the oldest of more than 1,024 events.
    public func events(positionEvery interval: Duration? = nil) -> some AsyncSequence<PlayerEvent, Never> & Sendable {
        AsyncStream(PlayerEvent.self, bufferingPolicy: .bufferingNewest(1024)) { continuation in
            let id = observers.add(interval.map { max($0, .milliseconds(10)) }, handle) { event, _ in
                continuation.yield(event)
            }
            continuation.onTermination = { [observers, handle] _ in observers.remove(id, handle) }
        }
    }
}

/// Somebody who is told of a player; see ``Player/onEvent(positionEvery:_:)``.
public struct PlayerObservation: Sendable {
    let player: Player
    let id: UInt64

    /// Ends it; without effect when it has ended.
    public func cancel() {
        player.observers.remove(id, player.handle)
    }
}
