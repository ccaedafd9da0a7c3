import Onstage
import Synchronization

/// Keeps what a player told, and lets a test await more.
final class PlayerRecorder: Sendable {
    private let stream: AsyncStream<PlayerEvent>
    private let input: AsyncStream<PlayerEvent>.Continuation
    private let kept = Mutex<[PlayerEvent]>([])

    init() {
        (stream, input) = AsyncStream.makeStream()
    }

    func take(_ event: PlayerEvent) {
        kept.withLock { $0.append(event) }
        input.yield(event)
    }

    var all: [PlayerEvent] { kept.withLock { $0 } }

    var states: [PlayerState] { all.compactMap { if case .state(let state) = $0 { state } else { nil } } }

    /// What became of its focus.
    var focus: [FocusChange] { all.compactMap { if case .focus(let change) = $0 { change } else { nil } } }

    /// The next one that fits; everything before it is passed by.
    func next(_ fits: (PlayerEvent) -> Bool) async -> PlayerEvent? {
        for await event in stream where fits(event) { return event }
        return nil
    }

    func next(_ wanted: PlayerEvent) async {
        _ = await next { $0 == wanted }
    }

    func state(_ wanted: PlayerState) async {
        await next(.state(wanted))
    }

    /// The next receipt of a device that was held.
    func receipt() async -> ReleaseReceipt? {
        guard
            case .released(let receipt) = await next({
                if case .released(let receipt) = $0 { receipt.detail.position != nil } else { false }
            })
        else { return nil }
        return receipt
    }

    /// Until `frame` has been passed, by a player that is observed at an interval.
    func position(beyond frame: Int64) async {
        _ = await next { if case .position(let at) = $0 { at > frame } else { false } }
    }
}
