internal import OnstageLinux
internal import OnstageMotion

/// The options of `onstage bench imu`.
struct BenchIMUOptions: Sendable {
    var imu = VirtualIMUOptions()
    /// Where the log lines go; nil for standard output.
    var logFile: String?
    /// `--help` was given.
    var wantsHelp = false

    /// - Throws: what is wrong with the command line; a recording that cannot be read, with the line's number.
    init(arguments: [String]) throws(UsageError) {
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
            case "--counter" where parts.count == 1: imu.countsSamples = true
            case "--rate": imu.rateLimit = try Self.number(option, try value("a rate in Hz"), in: 0.01...10_000)
            case "--motion": motion = try value("still, shake, rotate or a CSV file")
            case "--turn": turn = try Self.number(option, try value("a rate in rad/s"), in: -1_000...1_000)
            case "--fault": imu.faults.append(try VirtualIMUFault(try value("a fault")))
            case "--log": logFile = try value("a file")
            case "--name": imu.name = try value("a name")
            case "--axis":
                let word = try value("an axis")
                guard let axis = VirtualAxis(word) else {
                    throw UsageError("\"\(word)\" is no axis: x, y, z, -x, -y or -z")
                }
                imu.up = axis
            default: throw UsageError("unknown option \"\(word)\"")
            }
        }
        guard (1...127).contains(imu.name.utf8.count) else { throw UsageError("--name needs 1 to 127 bytes") }
        switch motion {
        case "still": imu.motion = .still
        case "shake": imu.motion = .shake
        case "rotate": imu.motion = .rotate(radiansPerSecond: turn)
        default: imu.motion = .recording(try Self.recording(motion))
        }
    }

    static let usage = """
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
        // All that an error says is said below.
        guard let bytes = try? TextFile.bytes(file, limit: largestRecording, waits: true) else {
            throw UsageError(
                "\(file) cannot be read (or is larger than 64 MiB): --motion takes still, shake, rotate or a CSV file")
        }
        do {
            return try MotionRecording(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw UsageError("\(file): \(error)")
        }
    }
}
