import Synchronization

/// What was called, in order.
final class Transcript: Sendable {
    private let lines = Mutex<[String]>([])
    private let arrivals = AsyncStream<Void>.makeStream()

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
        arrivals.continuation.yield()
    }

    /// Waits until there are so many lines.
    func wait(_ count: Int) async {
        if all.count >= count { return }
        for await _ in arrivals.stream where all.count >= count { return }
    }

    var all: [String] { lines.withLock { $0 } }
}
