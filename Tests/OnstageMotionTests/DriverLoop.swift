import CLinux
import OnstageCore
import OnstageLinux
import Synchronization

@testable import OnstageMotion

/// Never called off, unless told to be after so many questions.
final class FakeCancellation: CancellationSource {
    private let left: Mutex<Int>
    init(after questions: Int = .max) { left = Mutex(questions) }
    var isCancelled: Bool {
        left.withLock { left in
            left -= 1
            return left < 0
        }
    }
    var wakeDescriptor: Int32 { -1 }
}

/// What a driver reported, and what its listeners got.
final class Heard: Sendable {
    private let state = Mutex<(reports: [String], samples: [MotionSample], hasFirst: Bool)>(([], [], false))

    func take(_ sample: MotionSample) { state.withLock { $0.samples.append(sample) } }
    func take(_ report: DriverReport) {
        state.withLock { state in
            switch report {
            case .first:
                state.hasFirst = true
                state.reports.append("first")
            case .note(let text): state.reports.append(text)
            case .recovered(let error): state.reports.append("recovered \(error.kind.rawValue)")
            case .ended, .waiting, .available, .becameNoisy: state.reports.append("\(report)")
            }
        }
    }
    var samples: [MotionSample] { state.withLock { $0.samples } }
    var reports: [String] { state.withLock { $0.reports } }
    func clear() { state.withLock { $0 = ([], [], false) } }
}

/// Runs a driver on the test's own thread, as the device's thread would.
final class DriverLoop {
    private final class NoWaker: Waker {
        func wake() {}
    }

    let driver: any DeviceDriver
    private var wait = WaitSet()
    /// Times that the wait ended: what batching saves.
    private(set) var wakeUps = 0

    init(_ driver: any DeviceDriver) { self.driver = driver }

    @discardableResult
    func acquire(_ cancellation: FakeCancellation = FakeCancellation()) throws(DeviceError) -> Acquired {
        try driver.acquire(try driver.resolve(), cancellation)
    }

    /// Goes on until `condition` holds; false when `limit` has passed before.
    @discardableResult
    func run(limit: Duration = .seconds(5), until condition: () -> Bool) throws(DeviceError) -> Bool {
        let end = MonotonicTime.now + limit
        while !condition() {
            guard MonotonicTime.now < end else { return false }
            wait.removeAll()
            driver.prepare(&wait)
            wait.wake(at: end)
            _ = wait.waitForEvents(SystemClock(), waking: NoWaker())
            wakeUps += 1
            try driver.service(wait, now: .now)
        }
        return true
    }

    /// Answers how long the release took.
    @discardableResult
    func release() -> (ReleaseDetail, Duration) {
        let asked = MonotonicTime.now
        while true {
            if case .released(let detail) = driver.release(ReleaseRequest(asked: asked, hurried: false), now: .now) {
                return (detail, .now - asked)
            }
        }
    }
}
