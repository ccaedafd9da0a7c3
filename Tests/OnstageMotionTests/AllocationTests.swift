import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstageMotion

@Suite("real C: nothing is allocated for a sample", .serialized)
struct AllocationTests {
    @Test(
        "in a process of its own with a counting malloc",
        .enabled(if: getenv("ONSTAGE_SANITIZER") == nil, "the sanitizer has a malloc of its own"))
    func counted() throws {
        guard AllocationCount.counter() == nil else { return }
        let run = AllocationCount.run("OnstageMotionTests.AllocationTests.inner")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("at once 0, in batches 0 allocations"), "\(run.output)")
    }

    /// On the thread that drives the device: an inline listener, a decimated one, one with a thread, one for batches.
    @Test("1,000 samples at once and 1,000 in batches", .enabled(if: AllocationCount.counter() != nil))
    func inner() throws {
        let count = try #require(AllocationCount.counter())
        let once = try allocations(latency: .zero, together: 1, count)
        let batches = try allocations(latency: .milliseconds(50), together: 50, count)
        #expect(count() > 0)
        print("at once \(once), in batches \(batches) allocations")
    }

    private func allocations(latency: Duration, together: Int, _ count: AllocationCount.Counter) throws -> Int {
        let fixture = try IIOFixture()
        let node = try fixture.accelerometer(0)
        let sinks = MotionSinks()
        let sum = Atomic<Int>(0)
        let add: @Sendable (MotionSample) -> Void = { sum.wrappingAdd(Int($0.raw.x), ordering: .relaxed) }
        try sinks.add(.inline, add)
        try sinks.add(.inline, rate: .hertz(100), add)
        try sinks.add(.queued, add)
        try sinks.addBatches { batch in
            batch.each { raw, _, _ in sum.wrappingAdd(Int(raw.x), ordering: .relaxed) }
        }
        let driver = MotionDriver(
            configuration: MotionConfiguration(
                kind: .accelerometer, rate: .hertz(1_000), maxLatency: latency, stallLimit: .seconds(60)),
            sinks: sinks, tree: fixture.tree, report: { _ in })
        _ = try driver.acquire(try driver.resolve(), FakeCancellation())
        defer { _ = driver.release(ReleaseRequest(asked: .now, hurried: false), now: .now) }
        var wait = WaitSet()
        var (sent, now) = (UInt64(0), MonotonicTime.now)
        func made(_ turns: Int) throws -> Int {
            var made = 0
            for _ in 0..<turns {
                for _ in 0..<together {
                    sent += 1
                    node.send(Int16(sent & 0x3FFF), 0, 981, at: Int64(sent) * 1_000_000)
                }
                // Only what is done for the samples, not the sending of them.
                now = now + latency
                let before = count()
                wait.removeAll()
                driver.prepare(&wait)
                for index in wait.entries.indices { wait.entries[index].answers = WaitSet.readable }
                try driver.service(wait, now: now)
                made += count() - before
            }
            return made
        }
        _ = try made(20)
        let allocations = try made(1_000 / together)
        #expect(driver.counts.delivered == sent)
        return allocations
    }
}
