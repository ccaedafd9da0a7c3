internal import Glibc
internal import OnstageCore
internal import OnstageLinux
internal import OnstageMotion

/// `onstage bench motion`
enum BenchMotion {
    /// Answers the exit status: 0 measured, 1 the sensor failed, 2 wrong usage.
    static func run(_ arguments: [String]) -> Int32 {
        let options: BenchMotionOptions
        do throws(UsageError) {
            options = try BenchMotionOptions(arguments)
        } catch {
            return Command.refuse(error, BenchMotionOptions.table)
        }
        if options.wantsHelp { return Output.out(BenchMotionOptions.table.helpText) ? 0 : 1 }
        if let form = options.form { return decode(form) }
        do throws(DeviceError) {
            let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
            return try BenchMotionSession(options, signals).perform()
        } catch {
            Output.complain("onstage bench motion: \(error)\n")
            return 1
        }
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
