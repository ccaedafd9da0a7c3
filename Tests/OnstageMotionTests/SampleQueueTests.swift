import OnstageCore
import Testing

@testable import OnstageMotion

@Suite("Samples on their way to a sink's own thread")
struct SampleQueueTests {
    @Test("what was taken before a release begins no call after its receipt")
    func takenBefore() throws {
        let queue = try SampleQueue()
        queue.reserve(SampleQueue.capacity)
        let scale = AxisScale(SensorScale(offset: .zero, scale: SIMD3(repeating: 1), mount: .identity))
        var (raw, time) = (SIMD3<Int64>(1, 2, 3), Int64(5))
        func put() {
            let lost = withUnsafeMutablePointer(to: &raw) { raw in
                withUnsafeMutablePointer(to: &time) { time in
                    withUnsafePointer(to: scale) { scale in
                        queue.put(
                            MotionBatch(
                                kind: .gyroscope, count: 1, isMonotonic: true, isPolled: false,
                                run: SampleRun(raw, time), scale: scale, sequence: 0))
                    }
                }
            }
            #expect(lost == 0)
        }
        put()
        let before = try #require(queue.next())
        #expect(before.sample.raw == raw && queue.isWanted(before.epoch))
        #expect(queue.withdraw() == 0)
        #expect(!queue.isWanted(before.epoch))
        put()
        let after = try #require(queue.next())
        #expect(queue.isWanted(after.epoch))
        queue.stop()
        #expect(!queue.isWanted(after.epoch) && queue.next() == nil)
    }
}
