internal import CLinux
package import OnstageCore
internal import Synchronization

/// How a thread that waits in `poll` is told things: a queue and an eventfd.
///
/// Whoever sends appends and wakes and never waits; order is kept. Nothing is ever awaited across it.
package final class Mailbox<Message: Sendable>: Waker {
    private let queue = Mutex<[Message]>([])
    private let event: Descriptor

    /// - Throws: `tooMany` when the process is out of descriptors.
    package init() throws(DeviceError) {
        let answer = clinux_eventfd()
        guard answer >= 0 else { throw DeviceError(errno: -answer, operation: "eventfd", device: "mailbox") }
        event = Descriptor(owning: answer)
    }

    /// Readable while there is mail or a wake.
    package var descriptor: Int32 { event.number }

    /// Appends and wakes. *Runs on:* any thread.
    package func send(_ message: Message) {
        let wasEmpty = queue.withLock { queue in
            queue.append(message)
            return queue.count == 1
        }
        // With mail waiting already, its sender's wake is still to be seen.
        if wasEmpty { clinux_eventfd_add(event.number) }
    }

    package func wake() {
        clinux_eventfd_add(event.number)
    }

    /// All that has come, oldest first. *Runs on:* the owner's thread.
    package func take() -> [Message] {
        // Cleared before the queue is emptied: mail that comes in between is taken now and wakes once too often, which is
        // harmless; the other order would lose a wake.
        clinux_eventfd_clear(event.number)
        return queue.withLock { queue in
            guard !queue.isEmpty else { return [] }
            let mail = queue
            queue.removeAll(keepingCapacity: false)
            return mail
        }
    }
}
