import Glibc
import OnstageCore

/// Stops this whole process at random moments for a random time, as a busy machine does; the card plays on meanwhile.
struct Staller {
    private let pid: pid_t

    /// - Parameters:
    ///   - lengths: how long a stop lasts.
    ///   - gaps: the time between two stops.
    init(lengths: ClosedRange<Int> = 10...400, gaps: ClosedRange<Int> = 5...300, seed: UInt64) throws {
        // It ends by a signal only between two stops: else nobody would let us go on.
        let script = """
            import os, random, signal, time
            parent, ended, chance = os.getppid(), [], random.Random(\(seed))
            signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
            while not ended and os.getppid() == parent:
                time.sleep(chance.uniform(\(gaps.lowerBound), \(gaps.upperBound)) / 1000)
                os.kill(parent, signal.SIGSTOP)
                until = time.monotonic() + chance.uniform(\(lengths.lowerBound), \(lengths.upperBound)) / 1000
                while time.monotonic() < until:
                    time.sleep(max(0, until - time.monotonic()))
                os.kill(parent, signal.SIGCONT)
            """
        pid = try Bench.spawn(["python3", "-c", script])
    }

    func stop() {
        kill(pid, SIGTERM)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }
}
