internal import CLinux
package import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// The listeners to one motion sensor. May be changed at any time, from any thread; a change wakes the device's thread.
///
/// A sensor without a listener is not switched on.
package final class MotionSinks: Sendable {
    private let list = Mutex<[MotionSink]>([])
    private let version = Atomic<UInt64>(1)
    private let flushes = Atomic<UInt64>(0)
    private let event: Descriptor

    package init() {
        // Without a descriptor left a change is seen at the next sample only; a descriptor of -1 is passed over by poll.
        event = Descriptor(owning: max(-1, clinux_eventfd()))
    }

    deinit {
        for sink in list.withLock({ $0 }) { sink.queue?.stop() }
    }

    /// Adds a listener; samples come from the next one on.
    ///
    /// The fastest rate that any listener wants is set on the device; each has those that its own rate lets through.
    /// - Parameters:
    ///   - rate: nil for the configuration's.
    ///   - maxLatency: nil for the configuration's. Batches are made only as far as every listener allows.
    /// - Throws: `tooMany` when the kernel gives no thread or descriptor for a queued sink.
    @discardableResult
    package func add(
        _ place: SinkPlace = .queued, rate: MotionRate? = nil, maxLatency: Duration? = nil,
        _ body: @escaping @Sendable (MotionSample) -> Void
    ) throws(DeviceError) -> MotionSink {
        try add(place, rate: rate, maxLatency: maxLatency, .samples(body))
    }

    /// Adds a listener that has what came together in one call, on the device's thread.
    @discardableResult
    package func addBatches(
        rate: MotionRate? = nil, maxLatency: Duration? = nil,
        _ body: @escaping @Sendable (borrowing MotionBatch) -> Void
    ) throws(DeviceError) -> MotionSink {
        try add(.inline, rate: rate, maxLatency: maxLatency, .batches(body))
    }

    private func add(
        _ place: SinkPlace, rate: MotionRate?, maxLatency: Duration?, _ body: MotionSink.Body
    ) throws(DeviceError) -> MotionSink {
        let sink = try MotionSink(
            place: place, rate: rate, maxLatency: maxLatency,
            onRemoval: { [weak self] sink in self?.forget(sink) }, body: body)
        if let queue = sink.queue {
            try PosixThread.start("onstage-motion") { sink.run(queue) }
        }
        list.withLock { $0.append(sink) }
        changed()
        return sink
    }

    /// The samples as a sequence that holds the newest ones until they are asked for. Ends with the task that reads it.
    package func samples(
        rate: MotionRate? = nil, maxLatency: Duration? = nil, keepingNewest count: Int = 64
    ) throws(DeviceError) -> MotionSamples {
        let samples = MotionSamples(keepingNewest: count)
        let sink = try add(.inline, rate: rate, maxLatency: maxLatency) { samples.put($0) }
        samples.onEnd { sink.remove() }
        return samples
    }

    /// Hands on what a batch holds already, now. *Runs on:* any thread.
    package func flush() {
        flushes.wrappingAdd(1, ordering: .releasing)
        clinux_eventfd_add(event.number)
    }

    /// Whether anybody listens. *Runs on:* any thread.
    package var isEmpty: Bool { list.withLock { $0.isEmpty } }

    /// Readable after a change or a flush.
    var descriptor: Int32 { event.number }
    var currentVersion: UInt64 { version.load(ordering: .acquiring) }
    var flushCount: UInt64 { flushes.load(ordering: .acquiring) }
    var all: [MotionSink] { list.withLock { $0 } }

    /// *Runs on:* the device's thread, before it looks at the versions.
    func clearWake() {
        clinux_eventfd_clear(event.number)
    }

    private func forget(_ sink: MotionSink) {
        list.withLock { $0.removeAll { $0 === sink } }
        changed()
    }

    private func changed() {
        version.wrappingAdd(1, ordering: .releasing)
        clinux_eventfd_add(event.number)
    }
}
