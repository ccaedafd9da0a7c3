internal import OnstageCore
internal import OnstageLinux

/// The broker's deciding thread: its mailbox outside, its state inside.
///
/// Nothing else changes a scene's or a resource's state. It never waits for a device, a disk or a callback.
final class Decider: Sendable {
    private let mailbox: Mailbox<Mail>

    init() throws(DeviceError) {
        mailbox = try Mailbox()
    }

    /// Appends and wakes; never waits. After the end it answers those who wait for an answer. *Runs on:* any thread.
    func send(_ mail: Mail) {
        if !mailbox.send(mail) { mail.refuse() }
    }

    /// Starts the thread. It lives until the broker is closed, and keeps the broker alive.
    func start(_ broker: Broker, _ configuration: Broker.Configuration) throws(DeviceError) {
        let mailbox = mailbox
        try PosixThread.start("onstage-decide") {
            let state = DeciderState(broker, configuration)
            var wait = WaitSet()
            while !state.isFinished {
                wait.removeAll()
                wait.add(mailbox.descriptor)
                state.prepare(&wait)
                _ = wait.waitForEvents(configuration.clock, waking: mailbox)
                Self.takeMail(mailbox, state)
                state.takeEvents(wait)
                state.takeTimers()
                Self.yieldToDevices(mailbox, state, &wait)
                state.tell()
            }
            // What waited in the queue would hold the broker for ever, and those who asked would wait as long.
            for mail in mailbox.close() { mail.refuse() }
        }
    }

    private static func takeMail(_ mailbox: Mailbox<Mail>, _ state: DeciderState) {
        for mail in mailbox.take() { if state.isFinished { mail.refuse() } else { state.take(mail) } }
    }

    /// How long what happened is held back at most.
    private static let tellingDelay = Duration.milliseconds(1)

    /// Where there is one CPU, a device's thread that has just got an order is to have it before those who are only told of
    /// it: a wait of our own lets it go first. What it answers meanwhile is taken.
    private static func yieldToDevices(_ mailbox: Mailbox<Mail>, _ state: DeciderState, _ wait: inout WaitSet) {
        let limit = MonotonicTime.now + tellingDelay
        while state.takeOrdered(), !state.isFinished {
            wait.removeAll()
            wait.add(mailbox.descriptor)
            wait.wake(at: limit)
            // In real time, also under a clock that stands still: nothing is decided by it.
            guard wait.waitForEvents(SystemClock(), waking: mailbox) > 0 else { return }
            takeMail(mailbox, state)
        }
    }
}
