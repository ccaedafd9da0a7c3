internal import OnstageCore

/// A fault that the virtual sensor can be told to have.
package struct VirtualIMUFault: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// It stays on and sends nothing.
        case silent
        /// It answers each GET_REPORT and SET_REPORT only after this time.
        case late(Duration)
        /// The first reports after each power-up are all zero.
        case zeros(Int)
        /// It confirms its next power-ups and sends nothing until it is switched off and on again.
        case deaf(Int)
        /// It is pulled out; where the fault ends, it is plugged in again.
        case die
    }

    package var kind: Kind
    /// How long after the start it begins.
    package var start: Duration
    /// How long it lasts; nil for good.
    package var duration: Duration?

    package init(_ kind: Kind, start: Duration = .zero, duration: Duration? = nil) {
        self.kind = kind
        self.start = start
        self.duration = duration
    }

    /// From `KIND[=VALUE][@START[+DURATION]]`, times in seconds: "silent@2+5", "late=3000", "zeros=5", "die@10".
    package init(_ text: String) throws(UsageError) {
        let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let words = halves[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = words.count == 2 ? words[1] : nil
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
        start = .zero
        duration = nil
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

extension VirtualIMUFault: CustomStringConvertible {
    package var description: String {
        switch kind {
        case .silent: "silent"
        case .late(let delay): "late=\(delay.wholeNanoseconds / 1_000_000)"
        case .zeros(let count): "zeros=\(count)"
        case .deaf(let count): "deaf=\(count)"
        case .die: "die"
        }
    }
}
