internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// Where an app's callbacks run.
public struct CallbackExecutor: Sendable {
    /// Takes a block to run after those handed over before, one at a time; nil for the broker's own thread.
    let enqueue: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

    /// A thread of the broker's own: the default.
    public static var broker: CallbackExecutor { CallbackExecutor(enqueue: nil) }

    /// An executor of the app's: `enqueue` takes a block and runs it later, in order, one at a time, and returns at once
    /// (`{ DispatchQueue.main.async(execute: $0) }`).
    public static func custom(
        _ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> CallbackExecutor {
        CallbackExecutor(enqueue: enqueue)
    }
}

/// Runs callbacks one at a time, in order, never on the broker's deciding thread: a slow one delays no device.
final class CallbackRunner: Sendable {
    private enum Mail: Sendable {
        case run(@Sendable () -> Void)
        case end
    }

    private let enqueue: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    private let mailbox: Mailbox<Mail>?
    /// The kernel's ID of the thread that runs a callback now; 0 between two.
    private let running = Atomic<Int32>(0)

    init(_ executor: CallbackExecutor) throws(DeviceError) {
        enqueue = executor.enqueue
        guard executor.enqueue == nil else {
            mailbox = nil
            return
        }
        let mailbox = try Mailbox<Mail>()
        self.mailbox = mailbox
        try PosixThread.start("onstage-call") {
            var wait = WaitSet()
            while true {
                wait.removeAll()
                wait.add(mailbox.descriptor)
                _ = wait.waitForEvents(SystemClock(), waking: mailbox)
                for mail in mailbox.take() {
                    switch mail {
                    case .run(let block): block()
                    case .end: return
                    }
                }
            }
        }
    }

    /// Appends a callback; never waits.
    func run(_ callback: @escaping @Sendable () -> Void) {
        let marked: @Sendable () -> Void = { [self] in
            running.store(PosixThread.currentID, ordering: .relaxed)
            callback()
            running.store(0, ordering: .relaxed)
        }
        if let enqueue { enqueue(marked) } else { mailbox?.send(.run(marked)) }
    }

    /// Whether the caller is inside a callback.
    var isCurrent: Bool {
        running.load(ordering: .relaxed) == PosixThread.currentID
    }

    /// Ends the broker's own thread after the callbacks that wait.
    func end() {
        mailbox?.send(.end)
    }
}
