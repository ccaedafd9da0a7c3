internal import CLinux
package import OnstageCore
internal import OnstageLinux

extension VirtualIMUOptions {
    /// Plays the sensor until `stop` becomes readable, and writes its log as the options say.
    /// - Throws: what ``VirtualIMU/run(stop:)`` throws, and what opening the log says.
    package func run(stop: Int32?) throws(DeviceError) {
        guard let logFile else { return try Self.play(self, stop: stop, output: STDOUT_FILENO) }
        let file = try Descriptor(opening: logFile, flags: O_WRONLY | O_CREAT | O_APPEND)
        try Self.play(self, stop: stop, output: file.number)
    }

    private static func play(_ options: VirtualIMUOptions, stop: Int32?, output: Int32) throws(DeviceError) {
        // Line by line and without a buffer: whoever reads along sees it at once, and nothing is lost with the process.
        let imu = try VirtualIMU(options) { event in
            var line = "\(event)\n"
            line.withUTF8 { _ = clinux_write(output, $0.baseAddress, $0.count) }
        }
        try imu.run(stop: stop)
    }
}
