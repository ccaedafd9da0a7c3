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
                for mail in mailbox.take() { if state.isFinished { mail.refuse() } else { state.take(mail) } }
                state.takeEvents(wait)
                state.takeTimers()
            }
            // What waited in the queue would hold the broker for ever, and those who asked would wait as long.
            for mail in mailbox.close() { mail.refuse() }
        }
    }
}
