import Onstage
import OnstageCore
import Synchronization

/// Keeps a broker's events and lets a test await one.
final class EventRecorder: Sendable {
    private struct State: Sendable {
        var events: [BrokerEvent] = []
        var waiting: [(isMet: @Sendable ([BrokerEvent]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    init(_ broker: Broker) {
        broker.observe { [self] event in
            let met = state.withLock { state in
                state.events.append(event)
                let events = state.events
                let met = state.waiting.filter { $0.isMet(events) }
                state.waiting.removeAll { $0.isMet(events) }
                return met
            }
            for waiting in met { waiting.continuation.resume() }
        }
    }

    var events: [BrokerEvent] { state.withLock { $0.events } }

    var receipts: [ReleaseReceipt] {
        events.compactMap { if case .released(let receipt) = $0 { receipt } else { nil } }
    }

    /// The states that a resource went through.
    func states(_ resource: String, _ scene: String = "main") -> [ResourceState] {
        events.compactMap { event in
            guard case .resourceChanged(let name, let state, _, _) = event else { return nil }
            return name == ResourceName(resource: resource, scene: scene) ? state : nil
        }
    }

    func wait(_ isMet: @escaping @Sendable ([BrokerEvent]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if isMet(state.events) { return true }
                state.waiting.append((isMet, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Waits until a resource has come to `state`, `count` times.
    func wait(_ resource: String, _ wanted: ResourceState, scene: String = "main", count: Int = 1) async {
        await wait { events in
            events.filter { event in
                guard case .resourceChanged(let name, let state, _, _) = event else { return false }
                return name == ResourceName(resource: resource, scene: scene) && state == wanted
            }.count >= count
        }
    }
}
