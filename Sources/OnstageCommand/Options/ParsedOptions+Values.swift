internal import OnstageCore

extension ParsedOptions {
    /// The value of an option as a whole number within `range`; nil when it was not given.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "from \(range.lowerBound) on" : "within \(range.lowerBound)…\(range.upperBound)"
            throw UsageError("--\(name) \(text) is not a whole number \(bounds)")
        }
        return number
    }

    /// The value of an option as a sensor's rate in Hz, 0.01…100000; nil when it was not given.
    func hertz(_ name: String) throws(UsageError) -> Double? {
        guard let text = value(name) else { return nil }
        guard let rate = Double(text), (0.01...100_000).contains(rate) else {
            throw UsageError("--\(name) \(text) is no rate within 0.01…100000 Hz")
        }
        return rate
    }

    /// The value of an option as a time in seconds, not negative; nil when it was not given.
    func seconds(_ name: String) throws(UsageError) -> Duration? {
        guard let text = value(name) else { return nil }
        guard let time = Scenario.seconds(text) else {
            throw UsageError("--\(name) \(text) is no time in seconds (such as 5 or 2.5)")
        }
        return time
    }

    /// The one operand that there has to be.
    ///
    /// - Parameters:
    ///   - name: as the usage line names it.
    ///   - kind: what it stands for; its name when not given.
    func operand(_ name: String, _ kind: String? = nil) throws(UsageError) -> String {
        guard let operand = operands.first, !operand.isEmpty else { throw UsageError("say which \(name)") }
        if operands.count > 1 { throw UsageError("one \(kind ?? name) at a time: what is \"\(operands[1])\"?") }
        return operand
    }
}
