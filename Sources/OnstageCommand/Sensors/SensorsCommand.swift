internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux
internal import OnstageMotion

/// `onstage sensors`
enum SensorsCommand {
    static func run(_ arguments: [String]) -> Int32 {
        let options: SensorsOptions
        do throws(UsageError) {
            options = try SensorsOptions(arguments)
        } catch {
            return Command.refuse(error, SensorsOptions.table)
        }
        if options.wantsHelp { return Output.out(SensorsOptions.table.helpText) ? 0 : 1 }
        // A reader that leaves ends it, by the answer of a write.
        signal(SIGPIPE, SIG_IGN)
        do throws(DeviceError) {
            let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
            let session = try SensorSession(try picks(options), rate: options.rate, signals)
            return try read(session, options)
        } catch {
            Output.complain("onstage sensors: \(error)\n")
            return 1
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
        let kinds = session.sensors.map(\.kind)
        var check = options.isCheck ? kinds.map { SensorCheck($0) } : []
        var lines = SensorLines(options.form ?? .lines, kinds)
        var view = SensorView(kinds)
        var plot = options.plot.map { _ in SensorPlot(kinds) }
        let isView = options.form == nil && !options.isCheck && Terminal.canRewriteLine(1)
        let isTold = !options.isCheck && !isView && (options.form != nil || options.plot == nil)
        var isHeard = true
        if isTold { isHeard = Output.out(lines.head) }
        try session.read(until: options.duration) { samples in
            for (sensor, sample) in samples {
                if options.isCheck { check[sensor].take(sample) }
                plot?.take(sample, of: sensor)
                if isView { view.take(sample, of: sensor) }
            }
            if isTold { isHeard = isHeard && Output.out(lines.text(samples)) }
            if isView { view.show(session.names) }
            return isHeard
        }
        if isTold { isHeard = isHeard && Output.out(lines.end()) }
        var status: Int32 = isHeard ? 0 : 1
        if options.isCheck {
            let findings = zip(session.sensors.indices, check).map { index, check in
                check.finding(session.names[index], rate: session.rate(of: index))
            }
            let text =
                options.form == .json
                ? JSONValue.object([.init("version", 1), .init("sensors", .list(findings.map(\.json)))]).text + "\n"
                : findings.map(\.text).joined(separator: "\n")
            if !Output.out(text) || findings.contains(where: { !$0.faults.isEmpty }) { status = 1 }
        }
        if let plot, let file = options.plot {
            try AtomicFile.write(file, Array(plot.text(session.names).utf8).span.bytes)
        }
        return status
    }
}
