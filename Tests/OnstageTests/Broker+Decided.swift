import Onstage

extension Broker {
    /// Waits until every wish that was made before has been decided.
    func decided() async {
        await withCheckedContinuation { continuation in afterWishes { continuation.resume() } }
    }
}
