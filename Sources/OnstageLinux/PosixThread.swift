internal import CLinux
internal import Glibc
package import OnstageCore

/// A thread of our own. Swift's pool is never made to wait for a device.
package enum PosixThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// The kernel's ID of the calling thread. *C: `gettid`.*
    package static var currentID: Int32 { Int32(clinux_gettid()) }

    /// Starts a detached thread. Signals are blocked in it: they are the program's, not a device's.
    ///
    /// - Parameter name: shown by `ps -L` and `top -H`; cut at 15 bytes by the kernel.
    /// - Throws: `tooMany` when the kernel gives no thread. *C: `pthread_create`.*
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(DeviceError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // But for a fault of its own: blocked, it would end the program past every handler (a terminal is put back by one).
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&all, fault) }
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        let answer = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                clinux_name_thread(String(start.name.utf8.prefix(15)) ?? "onstage")
                start.body()
                return nil
            }, start.toOpaque())
        guard answer == 0 else {
            start.release()
            throw DeviceError(.tooMany, operation: "pthread_create", device: name, errno: answer)
        }
    }
}
