import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Synchronization

@testable import OnstageCamera

/// A driver driven by a plain loop, as the device's thread does it.
struct NeverCancelled: CancellationSource {
    var isCancelled: Bool { false }
    var wakeDescriptor: Int32 { -1 }
}

/// Cancelled after so many looks.
final class CancelledAfter: CancellationSource {
    private let left: Atomic<Int>
    init(_ steps: Int) { left = Atomic(steps) }
    var isCancelled: Bool { left.wrappingSubtract(1, ordering: .relaxed).oldValue <= 0 }
    var wakeDescriptor: Int32 { -1 }
}

/// A list that any thread may append to.
final class Log<Entry: Sendable>: Sendable {
    private let list = Mutex<[Entry]>([])
    func append(_ entry: Entry) { list.withLock { $0.append(entry) } }
    var entries: [Entry] { list.withLock { $0 } }
    var count: Int { list.withLock { $0.count } }
}

/// A played camera under a driver, with a clock that stands still.
final class PlayedCamera {
    let kernel = PlayedKernel()
    let sinks = FrameSinks()
    let reports = Log<DriverReport>()
    let driver: CameraDriver
    private let time = Time()
    private final class Time: Sendable {
        let now = Mutex(MonotonicTime(nanoseconds: 1_000_000_000_000))
    }

    /// - Parameters:
    ///   - library: plays libv4l2.
    ///   - media: the camera is at the end of its pipeline.
    init(
        _ configuration: CameraConfiguration = CameraConfiguration(), library: PlayedKernel? = nil,
        media: PlayedMedia? = nil
    ) {
        let (reports, time) = (reports, time)
        let camera = kernel
        let board: any VideoKernel = media.map { PlayedBoard(camera: camera, media: $0) } ?? camera
        driver = CameraDriver(
            configuration: configuration, sinks: sinks, report: { reports.append($0) }, kernel: board,
            finder: CameraFinder(
                kernel: board, sys: media?.tree("sys") ?? "/nonexistent", dev: media?.tree("dev") ?? "/nonexistent"),
            converting: { library },
            clock: { time.now.withLock { $0 } })
    }

    var now: MonotonicTime { time.now.withLock { $0 } }
    func advance(_ duration: Duration) { time.now.withLock { $0 = $0 + duration } }

    let device = ResolvedDevice(key: "/dev/video0", identity: "played", node: "/dev/video0")

    @discardableResult
    func acquire(_ cancellation: any CancellationSource = NeverCancelled()) throws(DeviceError) -> Acquired {
        try driver.acquire(device, cancellation)
    }

    /// One turn: what is ready is said, the driver is served.
    func turn(answers: Int16? = nil) throws(DeviceError) {
        var wait = WaitSet()
        driver.prepare(&wait)
        for index in wait.entries.indices where wait.entries[index].descriptor >= 1_000_000 {
            wait.entries[index].answers = answers ?? (kernel.isReady ? WaitSet.readable : 0)
        }
        try driver.service(wait, now: now)
    }

    /// Gives good frames one by one, 33 ms apart.
    func frames(_ numbers: [UInt32]) throws(DeviceError) {
        for number in numbers {
            advance(.milliseconds(33))
            kernel.give(.init(sequence: number, stamp: now.nanoseconds))
            try turn()
        }
    }

    @discardableResult
    func release() -> ReleaseDetail? {
        guard case .released(let detail) = driver.release(ReleaseRequest(asked: now, hurried: false), now: now) else {
            return nil
        }
        return detail
    }

    var recovered: [DeviceError] {
        reports.entries.compactMap { if case .recovered(let error) = $0 { error } else { nil } }
    }
    var firsts: Int {
        reports.entries.count { if case .first = $0 { true } else { false } }
    }
}

/// A real or synthetic driver in real time.
final class Turner {
    let driver: any DeviceDriver
    private var wait = WaitSet()
    private let mailbox: Mailbox<Int>

    init(_ driver: any DeviceDriver) throws {
        self.driver = driver
        mailbox = try Mailbox()
    }

    func acquire() throws -> Acquired {
        try driver.acquire(driver.resolve(), NeverCancelled())
    }

    func turn(limit: Duration = .milliseconds(500)) throws(DeviceError) {
        wait.removeAll()
        wait.add(mailbox.descriptor)
        driver.prepare(&wait)
        wait.wake(at: .now + limit)
        _ = wait.waitForEvents(SystemClock(), waking: mailbox)
        try driver.service(wait, now: .now)
    }

    /// Turns until `done` or the time is up; answers whether it was done.
    func turn(for limit: Duration, until done: () -> Bool) throws(DeviceError) -> Bool {
        let end = MonotonicTime.now + limit
        while !done() {
            if MonotonicTime.now > end { return false }
            try turn(limit: .milliseconds(100))
        }
        return true
    }

    @discardableResult
    func release() -> ReleaseDetail? {
        guard case .released(let detail) = driver.release(ReleaseRequest(asked: .now, hurried: false), now: .now) else {
            return nil
        }
        return detail
    }
}
