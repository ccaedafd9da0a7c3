internal import CLinux
internal import Glibc
package import OnstageCore

extension WaitSet {
    /// The one waiting function of our threads, but for waits that are kept (``SteadyWait``): until a descriptor answers, the
    /// deadline has come, or `waker` wakes.
    ///
    /// Answers how many descriptors have something; 0 for the deadline or a signal. *C: `ppoll`.*
    package mutating func waitForEvents(_ clock: some MonotonicClock, waking waker: any Waker) -> Int {
        let timeout = clock.timeout(until: deadline, waking: waker)
        let answer = entries.withUnsafeMutableBufferPointer { entries in
            entries.withMemoryRebound(to: pollfd.self) { clinux_poll($0.baseAddress, UInt($0.count), timeout) }
        }
        // Only our own mistakes are left here (EFAULT, EINVAL), or no memory: waiting goes on as if nothing had come.
        return max(0, Int(answer))
    }
}
