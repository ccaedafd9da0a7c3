internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux
internal import OnstageMotion

/// `onstage sensors`
enum SensorsCommand {
    /// What is made of the samples while they come: one thing that is said of them, and a drawing.
    private struct Readers {
        var view: SensorView?
        var lines: SensorLines?
        /// One for each sensor, or none at all.
        var checks: [SensorCheck] = []
        var plot: SensorPlot?

        init(_ options: SensorsOptions, _ kinds: [MotionKind]) {
            plot = options.plot.map { _ in SensorPlot(kinds) }
            if options.isCheck {
                checks = kinds.map { SensorCheck($0) }
            } else if let form = options.form {
                lines = SensorLines(form, kinds)
            } else if Terminal.canRewriteLine(1) {
                view = SensorView(kinds)
            } else if plot == nil {
                lines = SensorLines(.lines, kinds)
            }
        }

        /// Answers whether somebody still reads what is said.
        mutating func take(_ readings: [SensorSession.Reading], _ session: SensorSession) -> Bool {
            for (sensor, sample) in readings {
                view?.take(sample, of: sensor)
                if !checks.isEmpty { checks[sensor].take(sample) }
                plot?.take(sample, of: sensor)
            }
            view?.show(session.names)
            guard let text = lines?.text(readings) else { return true }
            return Output.out(text)
        }
    }

    static func run(_ arguments: [String]) -> Int32 {
        Command.perform(arguments) { (options: SensorsOptions) in
            // A reader that leaves ends it, by the answer of a write.
            signal(SIGPIPE, SIG_IGN)
            return Command.attempt(SensorsOptions.table) { () throws(DeviceError) in
                let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
                return try read(try SensorSession(try picks(options), rate: options.rate, signals), options)
            }
        }
    }

    private static func picks(_ options: SensorsOptions) throws(DeviceError) -> [SensorPick] {
        if options.sensors.isEmpty {
            let all = MotionSensor.all()
            guard !all.isEmpty else {
                throw DeviceError(
                    .absent, operation: "", device: "a motion sensor", reason: "this machine has none",
                    advice: "onstage sensors synthetic shows one that is made up")
            }
            return all.map { SensorPick(kind: $0.kind, selector: .path($0.path)) }
        }
        var picks: [SensorPick] = []
        for word in options.sensors {
            for pick in try word.picks(among: { MotionSensor.all() }) where !picks.contains(pick) { picks.append(pick) }
        }
        if options.form == .csv, let reason = SensorLines.whyNoTable(picks.map(\.kind)) {
            throw DeviceError(.configuration, operation: "", device: "--csv", reason: reason)
        }
        return picks
    }

    private static func read(_ session: SensorSession, _ options: SensorsOptions) throws(DeviceError) -> Int32 {
        var readers = Readers(options, session.sensors.map(\.kind))
        var isHeard = readers.lines.map { Output.out($0.head) } ?? true
        try session.read(until: options.duration) { readings in
            isHeard = isHeard && readers.take(readings, session)
            return isHeard
        }
        if let end = readers.lines?.end() { isHeard = isHeard && Output.out(end) }
        let findings = readers.checks.enumerated().map { index, check in
            check.finding(session.names[index], rate: session.rate(of: index))
        }
        if options.isCheck { isHeard = Output.out(text(findings, isJSON: options.form == .json)) }
        if let plot = readers.plot, let file = options.plot {
            try AtomicFile.write(file, Array(plot.text(session.names).utf8).span.bytes)
        }
        return isHeard && findings.allSatisfy(\.faults.isEmpty) ? 0 : 1
    }

    private static func text(_ findings: [SensorCheck.Finding], isJSON: Bool) -> String {
        guard isJSON else { return findings.map(\.text).joined(separator: "\n") }
        return JSONValue.object([.init("version", 1), .init("sensors", .list(findings.map(\.json)))]).text + "\n"
    }
}
