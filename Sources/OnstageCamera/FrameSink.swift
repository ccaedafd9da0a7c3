public import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// One reader of a camera's frames; ends with ``remove()``.
public final class FrameSink: Sendable {
    public let place: SinkPlace
    public let pixels: Pixels
    let queue: SinkQueue?
    private let body: @Sendable (borrowing Frame) -> Void
    private let complain: @Sendable (ConversionError) -> Void
    private let delivered = Atomic<UInt64>(0)
    let dropped = Atomic<UInt64>(0)
    private let isRemoved = Atomic<Bool>(false)
    private let onRemoval = Mutex<(@Sendable (FrameSink) -> Void)?>(nil)

    /// What happens to a frame while the sink is busy with another.
    public enum Backpressure: Hashable, Sendable {
        /// The newest frame waits; older ones are let go.
        case keepLatest
        /// Up to `depth` frames, 1…16, wait or are in work. When there are as many, the camera waits, with all its sinks.
        case blockProducer(depth: Int)
    }

    init(
        place: SinkPlace, pixels: Pixels, depth: Int? = nil, onRemoval: @escaping @Sendable (FrameSink) -> Void,
        complain: @escaping @Sendable (ConversionError) -> Void, body: @escaping @Sendable (borrowing Frame) -> Void
    ) {
        self.place = place
        self.pixels = pixels
        self.body = body
        self.complain = complain
        queue = place == .queued ? SinkQueue(depth: depth) : nil
        self.onRemoval.withLock { $0 = onRemoval }
    }

    /// Frames handed to this sink. *Runs on:* any thread.
    public var deliveredCount: UInt64 { delivered.load(ordering: .relaxed) }
    /// Frames that it missed because it was busy. *Runs on:* any thread.
    public var droppedCount: UInt64 { dropped.load(ordering: .relaxed) }

    /// Takes the sink off. No call begins afterwards; one that runs is not waited for. *Runs on:* any thread.
    public func remove() {
        isRemoved.store(true, ordering: .sequentiallyConsistent)
        queue?.stop()
        let action = onRemoval.withLock { action -> (@Sendable (FrameSink) -> Void)? in
            defer { action = nil }
            return action
        }
        action?(self)
    }

    /// Hands a frame over. *Runs on:* the device's thread, or the sink's own.
    ///
    /// - Parameter isWanted: asked once more after a conversion, which takes its time.
    func call(_ buffer: FrameBuffer, missed: Int, isWanted: () -> Bool = { true }) {
        guard !isRemoved.load(ordering: .relaxed) else { return }
        if pixels.isNative {
            body(Frame(buffer: buffer, missed: missed))
        } else {
            do throws(ConversionError) {
                let converted = try buffer.converted(pixels)
                guard isWanted() else { return }
                body(Frame(buffer: buffer, converted: converted, missed: missed))
            } catch {
                return complain(error)
            }
        }
        delivered.wrappingAdd(1, ordering: .relaxed)
    }

    /// The sink's own thread. Ends when the sink is removed.
    func run(_ queue: SinkQueue) {
        while let taken = queue.next() {
            call(taken.buffer, missed: taken.missed) { queue.isWanted(taken.epoch) }
            queue.finish()
            taken.buffer.giveBack()
        }
    }
}
