internal import CLinux
internal import Glibc
package import OnstageCore

/// Signals as something to be polled, instead of a handler that may run anywhere.
///
/// Made first of all in `main`: the signals are blocked in the calling thread, and in those that it makes afterwards. A
/// thread that was there before would still be killed by them. Programs started later inherit the block.
///
/// SIGHUP is left alone where the program was started with it ignored, as nohup does: a blocked signal would be told of all
/// the same.
package final class SignalDescriptor: Sendable {
    private let signals: Descriptor

    /// - Throws: `configuration` for a number that is no signal. *C: `pthread_sigmask`, `signalfd`.*
    package init(_ numbers: [Int32]) throws(DeviceError) {
        let numbers = numbers.filter { $0 != SIGHUP || !clinux_is_ignored(SIGHUP) }
        let answer = clinux_signalfd(numbers, Int32(numbers.count))
        guard answer >= 0 else { throw DeviceError(errno: -answer, operation: "signalfd", device: "signals") }
        signals = Descriptor(owning: answer)
    }

    /// Readable when a signal has come.
    package var descriptor: Int32 { signals.number }

    /// Stops the process as SIGTSTP does (Ctrl-Z), though that is blocked and told of here; returns when it is continued, or
    /// at once where nobody could continue it (an orphaned process group).
    ///
    /// *Runs on:* the thread that made it. *C: `raise`.*
    package func stopProcess() {
        clinux_stop_process()
    }

    /// The numbers of the signals that have come, each once however often it came. Never blocks. *C: `read`.*
    package func drain() -> [Int32] {
        var numbers: [Int32] = []
        while true {
            let answer = clinux_signalfd_next(signals.number)
            guard answer > 0 else { return numbers }
            if !numbers.contains(answer) { numbers.append(answer) }
        }
    }
}
