internal import OnstageMotion

extension VirtualIMUFault {
    /// From `KIND[=VALUE][@START[+DURATION]]`, times in seconds: "silent@2+5", "late=3000", "zeros=5", "die@10".
    init(_ text: String) throws(UsageError) {
        let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let words = halves[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = words.count == 2 ? words[1] : nil
        let kind: Kind
        switch (words[0], value) {
        case ("silent", nil): kind = .silent
        case ("die", nil): kind = .die
        case ("late", let value?): kind = .late(.milliseconds(try Self.count(value, in: text)))
        case ("zeros", let value?): kind = .zeros(Int(try Self.count(value, in: text)))
        case ("deaf", let value):
            kind = .deaf(try value.map { value throws(UsageError) in Int(try Self.count(value, in: text)) } ?? 1)
        default:
            throw UsageError(
                "\"\(text)\" is no fault: silent, late=MS, zeros=N, deaf[=N] or die, then [@START[+DURATION]]")
        }
        self.init(kind)
        guard halves.count == 2 else { return }
        let times = halves[1].split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        start = try Self.seconds(times[0], in: text)
        if times.count == 2 { duration = try Self.seconds(times[1], in: text) }
    }

    private static func count(_ word: Substring, in text: String) throws(UsageError) -> Int64 {
        guard let count = Int64(word), (0...3_600_000).contains(count) else {
            throw UsageError("\"\(word)\" in \"\(text)\" is not a whole number from 0 to 3600000")
        }
        return count
    }

    private static func seconds(_ word: Substring, in text: String) throws(UsageError) -> Duration {
        guard let seconds = Double(word), (0...1_000_000).contains(seconds) else {
            throw UsageError("\"\(word)\" in \"\(text)\" is not a time in seconds")
        }
        return .seconds(seconds)
    }
}
