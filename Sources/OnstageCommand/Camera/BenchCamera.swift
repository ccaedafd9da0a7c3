internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// `onstage bench camera`
enum BenchCamera {
    /// Answers the exit status: 0 measured, 1 the camera failed, 2 wrong usage.
    static func run(_ arguments: [String]) -> Int32 {
        let options: BenchCameraOptions
        do throws(UsageError) {
            options = try BenchCameraOptions(arguments)
        } catch {
            return Command.refuse(error, BenchCameraOptions.table)
        }
        if options.wantsHelp { return Output.out(BenchCameraOptions.table.helpText) ? 0 : 1 }
        do throws(DeviceError) {
            let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
            return try BenchCameraSession(options, signals).perform()
        } catch {
            Output.complain("onstage bench camera: \(error)\n")
            return 1
        }
    }
}
