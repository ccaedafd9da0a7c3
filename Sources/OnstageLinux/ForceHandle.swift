internal import CLinux
internal import Synchronization

/// Lets the watchdog reach a descriptor that another thread owns, without ever touching a number that was reused.
///
/// The owner arms it after opening and disarms it right before closing; ``force(_:)`` works on a duplicate made under the
/// lock, outside of it.
package final class ForceHandle: Sendable {
    private let descriptor = Mutex<Int32>(-1)

    package init() {}

    /// The owner has opened `number`.
    package func arm(_ number: Int32) {
        descriptor.withLock { $0 = number }
    }

    /// The owner is about to close it.
    package func disarm() {
        descriptor.withLock { $0 = -1 }
    }

    /// Runs `action` on a duplicate of the descriptor; does nothing when it is not open. *Runs on:* any thread.
    package func force(_ action: (Int32) -> Void) {
        let duplicate = descriptor.withLock { $0 >= 0 ? clinux_duplicate($0) : -1 }
        guard duplicate >= 0 else { return }
        action(duplicate)
        _ = clinux_close(duplicate)
    }
}
