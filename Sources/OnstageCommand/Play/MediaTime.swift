internal import OnstageCore

/// Where in a sound, as people write it: "90", "1:30", "1:02:03.5", or a source frame exactly, "4320000f".
enum MediaTime: Hashable, Sendable {
    case time(Duration)
    case frame(Int64)

    init?(_ text: String) {
        if text.hasSuffix("f") {
            let digits = text.dropLast().utf8
            guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }), let frame = Int64(text.dropLast())
            else { return nil }
            self = .frame(frame)
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let last = parts.last, let rest = Scenario.seconds(String(last)) else {
            return nil
        }
        // Behind a colon there are minutes or seconds: below 60.
        guard parts.count == 1 || rest < .seconds(60) else { return nil }
        var whole: Int64 = 0
        for (index, part) in parts.dropLast().enumerated() {
            guard part.utf8.count <= 6, let time = Scenario.seconds(String(part)), time.components.attoseconds == 0
            else {
                return nil
            }
            guard index == 0 || time < .seconds(60) else { return nil }
            whole = whole * 60 + time.components.seconds
        }
        self = .time(.seconds(whole * 60) + rest)
    }

    /// The source frame, rounded down; kept at the end of `Int64`.
    func frame(rate: Int) -> Int64 {
        switch self {
        case .frame(let frame): return frame
        case .time(let time):
            let (seconds, attoseconds) = time.components
            let (whole, overflow) = seconds.multipliedReportingOverflow(by: Int64(rate))
            guard !overflow else { return .max }
            return whole + attoseconds / 1_000_000_000 * Int64(rate) / 1_000_000_000
        }
    }

    /// A frame as time: "0:12.3", "1:02:03.4"; "-" without a rate.
    static func text(_ frame: Int64, rate: Int) -> String {
        guard rate > 0 else { return "-" }
        let rate = Int64(rate)
        let tenths = frame % rate * 10 / rate
        let seconds = frame / rate
        let start = seconds >= 3600 ? "\(seconds / 3600):\(twoDigits(seconds / 60 % 60))" : "\(seconds / 60)"
        return "\(start):\(twoDigits(seconds % 60)).\(tenths)"
    }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
