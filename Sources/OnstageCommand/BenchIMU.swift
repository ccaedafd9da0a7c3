internal import CLinux
internal import Glibc
internal import OnstageMotion

/// `onstage bench imu`
enum BenchIMU {
    // A signal handler can reach nothing but a global; written once, before the handlers are set.
    nonisolated(unsafe) private static var stop: Int32 = -1

    /// Answers the exit status: 0 when it was told to end, 1 when the kernel refused, 2 for a wrong command line.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            let options = try VirtualIMUOptions(arguments: arguments)
            if options.wantsHelp {
                print(VirtualIMUOptions.usage)
                return 0
            }
            stop = clinux_eventfd()
            signal(SIGINT) { _ in clinux_eventfd_add(BenchIMU.stop) }
            signal(SIGTERM) { _ in clinux_eventfd_add(BenchIMU.stop) }
            try options.run(stop: stop)
            return 0
        } catch let error as UsageError {
            complain("onstage bench imu: \(error)\nTry 'onstage bench imu --help' for more information.\n")
            return 2
        } catch {
            complain("onstage bench imu: \(error)\n")
            return 1
        }
    }

    private static func complain(_ text: String) {
        var text = text
        text.withUTF8 { _ = clinux_write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
