internal import CLinux
package import OnstageCore

/// Tells when a process that holds a device has ended, and with it has given back whatever it had.
///
/// *Runs on:* any thread. The end is told after the process's descriptors are closed.
package final class HolderWatch: Sendable {
    package let pid: Int32
    private let process: Descriptor

    /// - Parameter pid: A process, not one of its threads.
    /// - Throws: `absent` when it has ended already: what it had is free. `configuration` where the kernel has no pidfd
    ///   (before 5.3). *C: `pidfd_open`.*
    package init(pid: Int32) throws(DeviceError) {
        let answer = clinux_pidfd(pid)
        guard answer >= 0 else {
            let kind: DeviceError.Kind = -answer == ESRCH ? .absent : .init(errno: -answer)
            throw DeviceError(kind, operation: "pidfd_open", device: "pid \(pid)", errno: -answer)
        }
        process = Descriptor(owning: answer)
        self.pid = pid
    }

    /// Readable when it has ended, and ever after.
    package var descriptor: Int32 { process.number }

    /// Whether it has ended. Never blocks. *C: `poll`.*
    package var hasEnded: Bool {
        var entry = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
        return clinux_poll(&entry, 1, 0) > 0
    }
}
