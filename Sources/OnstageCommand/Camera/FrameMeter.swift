internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// What is measured of the frames of one acquire, without any allocation for a frame.
///
/// Unchecked: written by the one thread that calls the sink; read, and made ready for the next acquire, only when its
/// resource has been released, after which no call begins.
final class FrameMeter: @unchecked Sendable {
    /// Frames to take; then ``onEnd`` is called, once.
    let limit: Int
    private let onEnd: @Sendable () -> Void
    @exclusivity(unchecked) private(set) var count = 0
    /// When the first and the last were handed over.
    @exclusivity(unchecked) private(set) var first = MonotonicTime(nanoseconds: 0)
    @exclusivity(unchecked) private(set) var last = MonotonicTime(nanoseconds: 0)
    /// Lost by the device, or bad, before one of these frames.
    @exclusivity(unchecked) private(set) var lost = 0
    /// Missed by the sink because it was busy.
    @exclusivity(unchecked) private(set) var missed = 0
    /// Of each frame: from its time stamp to its call, in nanoseconds.
    private let latencies: UnsafeMutableBufferPointer<Int64>
    /// Of each frame but the first: since the call before, in nanoseconds.
    private let intervals: UnsafeMutableBufferPointer<Int64>

    init(limit: Int, onEnd: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.onEnd = onEnd
        latencies = .allocate(capacity: limit)
        intervals = .allocate(capacity: limit)
    }

    deinit {
        latencies.deallocate()
        intervals.deallocate()
    }

    /// Takes one frame. *Runs on:* the sink's thread.
    func take(_ frame: borrowing Frame) {
        guard count < limit else { return }
        let now = MonotonicTime.now
        if count == 0 {
            first = now
        } else {
            intervals.initializeElement(at: count - 1, to: now.nanoseconds &- last.nanoseconds)
            lost += frame.droppedBefore
            missed += frame.missed
        }
        latencies.initializeElement(at: count, to: now.nanoseconds &- frame.timestamp.nanoseconds)
        last = now
        count += 1
        if count == limit { onEnd() }
    }

    /// Forgets what it has, for the next acquire.
    func reset() {
        (count, lost, missed) = (0, 0, 0)
    }

    /// Frames a second, between the first call and the last; nil for less than two.
    var rate: Double? {
        let time = FixedPoint.seconds(last - first)
        return count > 1 && time > 0 ? Double(count - 1) / time : nil
    }

    /// In milliseconds.
    struct Spread {
        var median = 0.0
        var mean = 0.0
        var deviation = 0.0
        var p99 = 0.0
        var max = 0.0
    }

    var latency: Spread? { Self.spread(latencies, count) }
    var interval: Spread? { Self.spread(intervals, count - 1) }

    private static func spread(_ values: UnsafeMutableBufferPointer<Int64>, _ count: Int) -> Spread? {
        guard count > 0 else { return nil }
        let sorted = values[..<count].sorted()
        let mean = sorted.reduce(0.0) { $0 + Double($1) } / Double(count)
        let variance = sorted.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / Double(count)
        return Spread(
            median: Double(sorted[count / 2]) / 1e6, mean: mean / 1e6, deviation: variance.squareRoot() / 1e6,
            p99: Double(sorted[min(count - 1, count * 99 / 100)]) / 1e6, max: Double(sorted[count - 1]) / 1e6)
    }
}
