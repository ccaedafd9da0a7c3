internal import CLinux
internal import Glibc
internal import OnstageCore
internal import OnstageLinux
internal import OnstageMotion

/// `onstage bench imu`
enum BenchIMU {
    // A signal handler can reach nothing but a global; written once, before the handlers are set.
    nonisolated(unsafe) private static var stop: Int32 = -1

    /// Answers the exit status: 0 when it was told to end, 1 when the kernel refused, 2 for a wrong command line.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            let options = try BenchIMUOptions(arguments: arguments)
            if options.wantsHelp {
                return Output.out(BenchIMUOptions.usage + "\n") ? 0 : 1
            }
            stop = clinux_eventfd()
            signal(SIGINT) { _ in clinux_eventfd_add(BenchIMU.stop) }
            signal(SIGTERM) { _ in clinux_eventfd_add(BenchIMU.stop) }
            try play(options)
            return 0
        } catch let error as UsageError {
            Output.complain("onstage bench imu: \(error)\nTry 'onstage bench imu --help' for more information.\n")
            return 2
        } catch {
            Output.complain("onstage bench imu: \(error)\n")
            return 1
        }
    }

    /// Plays the sensor until ``stop`` becomes readable, and writes its log as the options say.
    private static func play(_ options: BenchIMUOptions) throws(DeviceError) {
        guard let logFile = options.logFile else { return try play(options.imu, STDOUT_FILENO) }
        let file = try Descriptor(opening: logFile, flags: O_WRONLY | O_CREAT | O_APPEND)
        try play(options.imu, file.number)
    }

    private static func play(_ options: VirtualIMUOptions, _ output: Int32) throws(DeviceError) {
        // Line by line and without a buffer: whoever reads along sees it at once, and nothing is lost with the process.
        let imu = try VirtualIMU(options) { event in
            var line = "\(event)\n"
            line.withUTF8 { _ = clinux_write(output, $0.baseAddress, $0.count) }
        }
        try imu.run(stop: stop)
    }
}
