internal import Onstage
internal import OnstageCore

extension JSONValue {
    /// A number, or null.
    static func number(or value: Double?) -> JSONValue { value.map(JSONValue.number) ?? .null }

    /// A whole number, or null.
    static func integer(or value: Int64?) -> JSONValue { value.map(JSONValue.integer) ?? .null }

    /// A text, or null.
    static func text(or value: String?) -> JSONValue { value.map(JSONValue.text) ?? .null }

    /// Milliseconds since `start`, to the microsecond, or null.
    static func milliseconds(since start: MonotonicTime, or time: MonotonicTime?) -> JSONValue {
        guard let time else { return .null }
        let microseconds = Double((time - start).wholeNanoseconds) / 1_000
        return .number(microseconds.rounded() / 1_000)
    }
}
