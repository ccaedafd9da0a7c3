internal import CLinux
package import OnstageCore
internal import Synchronization

/// How a thread that waits in `poll` is told things: a queue and an eventfd.
///
/// Whoever sends appends and wakes and never waits; order is kept. Nothing is ever awaited across it.
package final class Mailbox<Message: Sendable>: Waker {
    private struct Queue: Sendable {
        var mail: [Message] = []
        var isClosed = false
    }

    private let queue = Mutex(Queue())
    private let event: Descriptor

    /// - Throws: `tooMany` when the process is out of descriptors.
    package init() throws(DeviceError) {
        let answer = clinux_eventfd()
        guard answer >= 0 else { throw DeviceError(errno: -answer, operation: "eventfd", device: "mailbox") }
        event = Descriptor(owning: answer)
    }

    /// Readable while there is mail or a wake.
    package var descriptor: Int32 { event.number }

    /// Appends and wakes; false when it is closed, and the message is nobody's. *Runs on:* any thread.
    @discardableResult
    package func send(_ message: Message) -> Bool {
        let count: Int? = queue.withLock { queue in
            guard !queue.isClosed else { return nil }
            queue.mail.append(message)
            return queue.mail.count
        }
        // With mail waiting already, its sender's wake is still to be seen.
        if count == 1 { clinux_eventfd_add(event.number) }
        return count != nil
    }

    /// Takes no more mail, and answers what is left: nothing waits in a queue that nobody reads. *Runs on:* the owner's
    /// thread, the last it does.
    package func close() -> [Message] {
        queue.withLock { queue in
            defer { queue = Queue(mail: [], isClosed: true) }
            return queue.mail
        }
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
            guard !queue.mail.isEmpty else { return [] }
            let mail = queue.mail
            queue.mail.removeAll(keepingCapacity: false)
            return mail
        }
    }
}
