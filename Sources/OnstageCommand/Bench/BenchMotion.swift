internal import Glibc
internal import OnstageCore
internal import OnstageLinux

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
        do throws(DeviceError) {
            let signals = try SignalDescriptor([SIGINT, SIGTERM])
            return try BenchMotionSession(options, signals).perform()
        } catch {
            Output.complain("onstage bench motion: \(error)\n")
            return 1
        }
    }
}
