/// A rate in events per second.
public struct Hertz: Hashable, Comparable, Sendable {
    public let value: Double

    public init(_ value: Double) {
        self.value = value
    }

    /// The rate with one event each `period`.
    public init(period: Duration) {
        value = 1_000_000_000 / Double(period.wholeNanoseconds)
    }

    /// The time between two events; zero for a rate that is not positive.
    public var period: Duration {
        value > 0 ? .nanoseconds(Int64((1_000_000_000 / value).rounded())) : .zero
    }

    public static func < (a: Hertz, b: Hertz) -> Bool {
        a.value < b.value
    }
}
