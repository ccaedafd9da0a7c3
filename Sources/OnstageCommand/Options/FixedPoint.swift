/// Numbers as lines show them.
enum FixedPoint {
    /// `value` with so many decimals, rounded ("3.10"); "-" for what is no number.
    static func text(_ value: Double, _ decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (value * scale).rounded()
        guard scaled.isFinite, scaled.magnitude < 1e15 else { return "-" }
        let number = Int64(scaled)
        guard decimals > 0 else { return String(number) }
        var digits = String(number.magnitude)
        while digits.utf8.count <= decimals { digits = "0" + digits }
        let sign = number < 0 ? "-" : ""
        return "\(sign)\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
    }

    /// Milliseconds with one decimal ("12.3 ms").
    static func milliseconds(_ duration: Duration) -> String {
        text(seconds(duration) * 1000, 1) + " ms"
    }

    static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
