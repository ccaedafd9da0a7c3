import CLinux
import OnstageCore
import OnstageLinux
import Synchronization

@testable import OnstagePlayback

/// A cancellation that never comes, or has come.
struct NoCancellation: CancellationSource {
    var isCancelled = false
    var wakeDescriptor: Int32 { -1 }
}

/// What a driver reported, in order.
final class Reports: Sendable {
    private let list = Mutex<[DriverReport]>([])
    func add(_ report: DriverReport) { list.withLock { $0.append(report) } }
    var all: [DriverReport] { list.withLock { $0 } }
    var ended: Int { all.count { if case .ended = $0 { true } else { false } } }
    var recovered: [DeviceError] { all.compactMap { if case .recovered(let error) = $0 { error } else { nil } } }
}

/// Runs a driver as its device's thread does: prepare, wait, service, release.
struct DriverRun {
    let driver: PlaybackDriver
    /// Nil waits in real time.
    let still: StillClock?
    private var wait = WaitSet()
    /// Turns in play that were more than the driver's own of a wait that is kept.
    private(set) var services = 0

    init(_ driver: PlaybackDriver, still: StillClock? = nil) {
        self.driver = driver
        self.still = still
    }

    @discardableResult
    mutating func acquire() throws(DeviceError) -> Acquired {
        try driver.acquire(try driver.resolve(), NoCancellation())
    }

    /// One wait, ending at `limit` at the latest.
    mutating func turn(until limit: MonotonicTime, late: Duration = .zero) {
        wait.removeAll()
        driver.prepare(&wait)
        if let still {
            still.advance(to: min(limit, (wait.deadline ?? limit) + late))
            return
        }
        wait.wake(at: limit)
        let rest = max(0, ((wait.deadline ?? limit) - .now).wholeNanoseconds)
        _ = wait.entries.withUnsafeMutableBufferPointer { entries in
            entries.withMemoryRebound(to: pollfd.self) { clinux_poll($0.baseAddress, UInt($0.count), rest) }
        }
    }

    private var now: MonotonicTime { still?.now ?? .now }

    mutating func play(for time: Duration, late: () -> Duration = { .zero }, stop: () -> Bool = { false })
        throws(DeviceError)
    {
        let end = now + time
        while now < end, !stop() {
            turn(until: end, late: late())
            // A wait that may be kept, and ended because of the device: as the thread does, all of it in that turn.
            if driver.keepsWait {
                if driver.output?.isReady(wait) != true {
                    // Our own end of the wait, not the thread's.
                    if let deadline = wait.deadline, now < deadline { continue }
                } else if driver.keptTurn(wait, now: now) != nil {
                    continue
                }
            }
            services += 1
            try driver.service(wait, now: now)
        }
    }

    mutating func release(hurried: Bool = false, late: () -> Duration = { .zero }) -> ReleaseDetail {
        let request = ReleaseRequest(asked: now, hurried: hurried)
        while true {
            if case .released(let detail) = driver.release(request, now: now) { return detail }
            turn(until: now + .seconds(1), late: late())
            try? driver.service(wait, now: now)  // as the thread does: a release goes on whatever happens
        }
    }
}
