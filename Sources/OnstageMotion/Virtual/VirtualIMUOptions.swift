internal import OnstageCore
internal import OnstageLinux

/// What the virtual accelerometer and gyroscope are to do: the options of `onstage bench imu`.
package struct VirtualIMUOptions: Sendable {
    /// The most reports a second that it sends, in Hz; nil for whatever the kernel asks for.
    package var rateLimit: Double?
    package var motion = VirtualMotion.still
    package var up = VirtualAxis.z
    package var faults: [VirtualIMUFault] = []
    /// Each report's x is the number of the report since the power-up, so that a lost one shows.
    package var countsSamples = false
    /// Where the log lines go; nil for standard output.
    package var logFile: String?
    /// How the kernel names the device.
    package var name = "Onstage virtual sensor hub"
    /// `--help` was given.
    package var wantsHelp = false

    package init() {}

    /// - Throws: what is wrong with the command line; a recording that cannot be read, with the line's number.
    package init(arguments: [String]) throws(UsageError) {
        var words = arguments[...]
        var motion = "still"
        var turn = 1.0
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let option = parts.first ?? ""
            func value(_ meaning: String) throws(UsageError) -> String {
                if parts.count == 2 { return parts[1] }
                guard let next = words.popFirst() else { throw UsageError("\(option) needs \(meaning)") }
                return next
            }
            switch option {
            case "--help" where parts.count == 1: wantsHelp = true
            case "--counter" where parts.count == 1: countsSamples = true
            case "--rate": rateLimit = try Self.number(option, try value("a rate in Hz"), in: 0.01...10_000)
            case "--motion": motion = try value("still, shake, rotate or a CSV file")
            case "--turn": turn = try Self.number(option, try value("a rate in rad/s"), in: -1_000...1_000)
            case "--fault": faults.append(try VirtualIMUFault(try value("a fault")))
            case "--log": logFile = try value("a file")
            case "--name": name = try value("a name")
            case "--axis":
                let word = try value("an axis")
                guard let axis = VirtualAxis(word) else {
                    throw UsageError("\"\(word)\" is no axis: x, y, z, -x, -y or -z")
                }
                up = axis
            default: throw UsageError("unknown option \"\(word)\"")
            }
        }
        guard (1...127).contains(name.utf8.count) else { throw UsageError("--name needs 1 to 127 bytes") }
        switch motion {
        case "still": self.motion = .still
        case "shake": self.motion = .shake
        case "rotate": self.motion = .rotate(radiansPerSecond: turn)
        default: self.motion = .recording(try Self.recording(motion))
        }
    }

    package static let usage = """
        Usage: onstage bench imu [OPTION]...
        Plays an accelerometer and a gyroscope to this machine's kernel through /dev/uhid, until a signal ends it.

          --rate HZ       send at most HZ reports a second (default: as many as the kernel asks for)
          --motion WHAT   still (default), shake, rotate, or a CSV file: time, ax, ay, az, gx, gy, gz in s, m/s², rad/s
          --axis AXIS     what points up: x, y, z (default), -x, -y, -z
          --turn RAD/S    how fast "rotate" turns, about the axis after the one that points up (default: 1)
          --fault FAULT   silent, late=MS, zeros=N, deaf[=N] or die, then [@START[+DURATION]] in seconds; may be repeated
          --counter       each report's x is its number, so that a lost one shows
          --name NAME     how the kernel names the device
          --log FILE      write the log there instead of to standard output
        """

    private static func number(_ option: String, _ word: String, in range: ClosedRange<Double>) throws(UsageError)
        -> Double
    {
        guard let number = Double(word), range.contains(number) else {
            throw UsageError("\"\(word)\" is no value for \(option): \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static let largestRecording = 64 << 20

    private static func recording(_ file: String) throws(UsageError) -> MotionRecording {
        guard let text = SmallFile.text(file, limit: largestRecording), text.utf8.count < largestRecording else {
            throw UsageError(
                "\(file) cannot be read (or is larger than 64 MiB): --motion takes still, shake, rotate or a CSV file")
        }
        do {
            return try MotionRecording(text)
        } catch {
            throw UsageError("\(file): \(error)")
        }
    }
}
