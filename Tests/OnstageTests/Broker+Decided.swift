import Onstage
import OnstageCore
import OnstageTestKit

extension Broker {
    /// One whose time stands still until it is told to go on.
    convenience init(still clock: StillClock, callbacks: CallbackExecutor = .broker) throws {
        var configuration = Broker.Configuration()
        configuration.clock = clock
        configuration.callbacks = callbacks
        try self.init(configuration)
    }

    /// Waits until every wish that was made before has been decided.
    func decided() async {
        await withCheckedContinuation { continuation in afterWishes { continuation.resume() } }
    }
}

extension Scene {
    /// All callbacks up to this wish to be active have begun, and but for this one returned, when this has.
    func settled() async {
        await withCheckedContinuation { continuation in performWhenActive { continuation.resume() } }
    }
}
