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
    private let body: Body
    private let delivered = Atomic<UInt64>(0)
    private let dropped = Atomic<UInt64>(0)
    private let isRemoved = Atomic<Bool>(false)
    private let onRemoval: @Sendable (MotionSink) -> Void

    /// How it has its samples.
    enum Body: Sendable {
        case samples(@Sendable (MotionSample) -> Void)
        /// Always on the device's thread.
        case batches(@Sendable (borrowing MotionBatch) -> Void)
    }

    init(
        place: SinkPlace, rate: MotionRate?, maxLatency: Duration?,
        onRemoval: @escaping @Sendable (MotionSink) -> Void, body: Body
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

    /// Hands samples over, or puts them in its queue; answers how many older ones were lost for them. *Runs on:* the
    /// device's thread.
    func take(_ batch: borrowing MotionBatch) -> Int {
        guard !isRemoved.load(ordering: .relaxed) else { return 0 }
        switch body {
        case .batches(let body):
            body(batch)
            delivered.wrappingAdd(UInt64(batch.count), ordering: .relaxed)
        case .samples(let body):
            if let queue {
                let lost = queue.put(batch)
                if lost > 0 { dropped.wrappingAdd(UInt64(lost), ordering: .relaxed) }
                return lost
            }
            var index = 0
            while index < batch.count, !isRemoved.load(ordering: .relaxed) {
                body(batch[index])
                index += 1
            }
            delivered.wrappingAdd(UInt64(index), ordering: .relaxed)
        }
        return 0
    }

    /// The sink's own thread. Ends when the sink is removed.
    func run(_ queue: SampleQueue) {
        guard case .samples(let body) = body else { return }
        while let taken = queue.next() {
            // A release may have come since it was taken, and its receipt: then no call begins.
            guard !isRemoved.load(ordering: .relaxed), queue.isWanted(taken.epoch) else { continue }
            body(taken.sample)
            delivered.wrappingAdd(1, ordering: .relaxed)
        }
    }
}
