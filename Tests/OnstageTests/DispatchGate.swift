import Dispatch

/// Holds a thread of the library's own until it is opened. Not for the cooperative pool.
final class DispatchGate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    /// Waits until it has been opened; then it is open for the next one as well.
    func wait() {
        semaphore.wait()
        semaphore.signal()
    }
}
