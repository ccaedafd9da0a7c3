import Glibc
import OnstageCore
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstageCamera

@Suite("real C: nothing is allocated for a frame", .serialized)
struct AllocationTests {
    @Test(
        "1,000 frames, counted in a process of its own with a counting malloc",
        .enabled(if: getenv("ONSTAGE_SANITIZER") == nil, "the sanitizer has a malloc of its own"))
    func counted() throws {
        guard AllocationCount.counter() == nil else { return }
        let run = AllocationCount.run("OnstageCameraTests.AllocationTests.inner")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("1000 frames: 0 allocations"), "\(run.output)")
    }

    @Test("1,000 frames to an inline, a preview and a queued sink", .enabled(if: AllocationCount.counter() != nil))
    func inner() throws {
        let count = try #require(AllocationCount.counter())
        let sinks = FrameSinks()
        let driver = SyntheticCameraDriver(
            configuration: CameraConfiguration(width: 128, height: 32), sinks: sinks, report: { _ in },
            pace: .asFastAsTheyCome)
        let turner = try Turner(driver)
        let sum = Atomic<UInt64>(0)
        let queuedCalls = Atomic<Int>(0)
        let queuedAllocations = Atomic<Int>(0)
        try sinks.add(.inline) { sum.wrappingAdd($0.sequence, ordering: .relaxed) }
        try sinks.add(.inline, as: .bgra) { sum.wrappingAdd(UInt64($0.stride), ordering: .relaxed) }
        try sinks.add(.queued) { frame in
            sum.wrappingAdd(frame.sequence, ordering: .relaxed)
            queuedCalls.wrappingAdd(1, ordering: .relaxed)
            queuedAllocations.store(count(), ordering: .relaxed)
        }
        _ = try turner.acquire()
        while queuedCalls.load(ordering: .relaxed) < 20 { try turner.turn() }
        // A room that is made when a thread is first held up in a certain place is made once; what is made for a frame is made
        // in each of these thousands.
        var made = -1
        for _ in 0..<5 where made != 0 {
            let (before, queuedBefore) = (count(), queuedAllocations.load(ordering: .relaxed))
            for _ in 0..<1000 { try turner.turn() }
            made = count() - before + queuedAllocations.load(ordering: .relaxed) - queuedBefore
        }
        turner.release()
        #expect(made == 0)
        #expect(count() > 0)
        print("1000 frames: \(made) allocations")
    }
}
