internal import Synchronization

/// Samples of one sensor, one after another; the newest are kept for a slow reader, and what it missed is counted.
package struct MotionSamples: AsyncSequence, Sendable {
    package typealias Element = MotionSample
    package typealias Failure = Never

    private final class Missed: Sendable {
        let count = Atomic<UInt64>(0)
    }

    private let stream: AsyncStream<MotionSample>
    private let continuation: AsyncStream<MotionSample>.Continuation
    private let missed = Missed()

    init(keepingNewest count: Int) {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Swift.max(1, count)))
    }

    /// Samples that were let go because the reader was slow.
    package var droppedCount: UInt64 { missed.count.load(ordering: .relaxed) }

    package func makeAsyncIterator() -> AsyncStream<MotionSample>.Iterator {
        stream.makeAsyncIterator()
    }

    func put(_ sample: MotionSample) {
        if case .dropped = continuation.yield(sample) { missed.count.wrappingAdd(1, ordering: .relaxed) }
    }

    func onEnd(_ body: @escaping @Sendable () -> Void) {
        continuation.onTermination = { _ in body() }
    }
}
