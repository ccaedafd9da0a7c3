public import OnstageCore
public import OnstageMotion

/// An accelerometer or a gyroscope whose samples reach listeners while its scene is on stage.
///
/// Switched on only while bound, active and listened to.
///
///     let motion = Motion(.accelerometer, rate: .game)
///     try motion.onSample { sample in … }
///     try scene.bind(motion)
public final class Motion: Resource {
    public let handle: ResourceHandle
    private let sinks: MotionSinks

    /// Describes a sensor; nothing is opened.
    ///
    /// - Parameters:
    ///   - kind: which motion.
    ///   - selector: which of the machine's sensors of that kind.
    ///   - rate: for listeners that ask for none of their own; the device runs at its nearest that is not lower.
    ///   - name: its name in receipts, events and the report; the kind's when not given.
    ///   - isSynthetic: a device at rest that does not exist.
    public convenience init(
        _ kind: MotionKind, selector: MotionSelector = .any, rate: MotionRate = .game, name: String? = nil,
        isSynthetic: Bool = false
    ) {
        self.init(
            MotionConfiguration(kind: kind, selector: selector, rate: rate), name: name ?? kind.rawValue,
            isSynthetic: isSynthetic)
    }

    package init(_ configuration: MotionConfiguration, name: String, isSynthetic: Bool) {
        let sinks = MotionSinks()
        self.sinks = sinks
        handle = ResourceHandle(name: name, kind: .motion) { report in
            if isSynthetic {
                return SyntheticMotionDriver(configuration: configuration, sinks: sinks, report: report)
            }
            return MotionDriver(configuration: configuration, sinks: sinks, report: report)
        }
    }

    /// Hands each sample to `body`.
    ///
    /// - Parameters:
    ///   - rate: how often this listener wants one; nil for the sensor's own.
    ///   - maxLatency: how late it may have them, so that they come in batches; nil for each at once.
    /// - Throws: `tooMany` when the kernel gives no thread.
    @discardableResult
    public func onSample(
        _ place: SinkPlace = .queued, rate: MotionRate? = nil, maxLatency: Duration? = nil,
        _ body: @escaping @Sendable (MotionSample) -> Void
    ) throws(DeviceError) -> MotionSink {
        try sinks.add(place, rate: rate, maxLatency: maxLatency, body)
    }

    /// Hands samples to `body` as they come together, in one call for all: the cheapest way to have many.
    ///
    /// Runs on the sensor's own thread; a release waits for it.
    /// - Parameters:
    ///   - rate: how often this listener wants one; nil for the sensor's own.
    ///   - maxLatency: how late it may have them; they come together as far as every listener of this resource allows.
    /// - Throws: `tooMany` when the kernel gives no descriptor.
    @discardableResult
    public func onBatch(
        rate: MotionRate? = nil, maxLatency: Duration? = nil,
        _ body: @escaping @Sendable (borrowing MotionBatch) -> Void
    ) throws(DeviceError) -> MotionSink {
        try sinks.addBatches(rate: rate, maxLatency: maxLatency, body)
    }

    /// Hands on what a batch holds already, now. *Runs on:* any thread.
    public func flush() {
        sinks.flush()
    }
}
