internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux
internal import OnstageMotion

/// `onstage bench motion`
enum BenchMotion {
    /// Answers the exit status: 0 measured, 1 the sensor failed, 2 wrong usage.
    static func run(_ arguments: [String]) -> Int32 {
        Command.perform(arguments) { (options: BenchMotionOptions) in
            if let form = options.form { return decode(form) }
            return Command.attempt(BenchMotionOptions.table) { () throws(DeviceError) in try measure(options) }
        }
    }

    private static func measure(_ options: BenchMotionOptions) throws(DeviceError) -> Int32 {
        let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
        let sensor = try options.sensor.one()
        let configuration = MotionConfiguration(
            kind: sensor.kind, selector: sensor.selector,
            rate: options.rate.map { .hertz($0) } ?? .fastest, maxLatency: options.maxLatency)
        let motion = Motion(configuration, name: configuration.kind.rawValue, isSynthetic: sensor.isSynthetic)
        let mailbox = try Mailbox<BenchMessage>()
        let meter = SampleMeter(limit: options.samples) { mailbox.send(.measured) }
        switch options.sink {
        case .inline: try motion.onSample(.inline) { meter.take($0) }
        case .queued: try motion.onSample(.queued) { meter.take($0) }
        case .together: try motion.onBatch { meter.take($0) }
        }
        let session = try BenchSession("motion", motion, meter, cycles: options.cycles, mailbox, signals)
        let result = BenchMotionResult(outcome: try session.perform(), sink: options.sink, batch: options.batch)
        let text = options.isJSON ? result.json.text + "\n" : result.text
        return max(session.status, Output.out(text) ? 0 : 1)
    }

    private static func decode(_ form: String) -> Int32 {
        guard let (nanoseconds, sum) = DecodingMeasure.nanoseconds(form) else {
            return Command.refuse(
                UsageError("--decode \(form) is no form that a kernel writes"), BenchMotionOptions.table)
        }
        // The sum too: what nobody asks for need not be worked out.
        return Output.out("\(form) \(FixedPoint.text(nanoseconds, 3)) ns a sample, sum \(sum)\n") ? 0 : 1
    }
}
