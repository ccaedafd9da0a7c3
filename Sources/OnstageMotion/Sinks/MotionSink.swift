public import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// One listener to a motion sensor; ends with ``remove()``.
public final class MotionSink: Sendable {
    public let place: SinkPlace
    /// How often it wants a sample; nil for as often as the resource was made for.
    public let rate: MotionRate?
    /// How late it may have them; nil for what the resource was made for.
    public let maxLatency: Duration?
    let queue: SampleQueue?
    private let body: @Sendable (MotionSample) -> Void
    private let delivered = Atomic<UInt64>(0)
    private let dropped = Atomic<UInt64>(0)
    private let isRemoved = Atomic<Bool>(false)
    private let onRemoval: @Sendable (MotionSink) -> Void

    init(
        place: SinkPlace, rate: MotionRate?, maxLatency: Duration?,
        onRemoval: @escaping @Sendable (MotionSink) -> Void, body: @escaping @Sendable (MotionSample) -> Void
    ) throws(DeviceError) {
        queue = place == .queued ? try SampleQueue() : nil
        self.place = place
        self.rate = rate
        self.maxLatency = maxLatency
        self.onRemoval = onRemoval
        self.body = body
    }

    /// Samples handed to it. *Runs on:* any thread.
    public var deliveredCount: UInt64 { delivered.load(ordering: .relaxed) }
    /// Samples that it missed because it was slow. *Runs on:* any thread.
    public var droppedCount: UInt64 { dropped.load(ordering: .relaxed) }

    /// Takes the listener off. No call begins afterwards; one that runs is not waited for. *Runs on:* any thread.
    public func remove() {
        guard !isRemoved.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue?.stop()
        onRemoval(self)
    }

    /// Hands a sample over, or puts it in its queue; false when an older one was lost for it. *Runs on:* the device's thread.
    func take(_ sample: MotionSample) -> Bool {
        guard let queue else {
            call(sample)
            return true
        }
        let fits = queue.put(sample)
        if !fits { dropped.wrappingAdd(1, ordering: .relaxed) }
        return fits
    }

    /// The sink's own thread. Ends when the sink is removed.
    func run(_ queue: SampleQueue) {
        while let sample = queue.next() { call(sample) }
    }

    private func call(_ sample: MotionSample) {
        guard !isRemoved.load(ordering: .relaxed) else { return }
        body(sample)
        delivered.wrappingAdd(1, ordering: .relaxed)
    }
}
