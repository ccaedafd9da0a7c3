/// What a control is set to.
public enum ControlValue: Hashable, Sendable {
    /// A number; 0 or 1 for a flag, the index for a menu, anything for a button.
    case number(Int64)
    /// The name of a menu's item, "on" or "off" for a flag, the text of a text control, or a number written out.
    case text(String)
    /// Whatever the camera calls its own automatic: for an automatic of two or four states, as for a flag.
    case automatic
    /// The opposite.
    case manual

    /// What a person wrote: a number, decimal or with 0x, or a name.
    public init(_ text: String) {
        self = Self.number(text).map(ControlValue.number) ?? .text(text)
    }

    static func number(_ text: String) -> Int64? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard let first = digits.first, first.isNumber else { return nil }
        let isHex = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        guard let number = isHex ? Int64(digits.dropFirst(2), radix: 16) : Int64(digits) else { return nil }
        return isNegative ? -number : number
    }
}

extension ControlValue: CustomStringConvertible {
    public var description: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): text
        case .automatic: "automatic"
        case .manual: "manual"
        }
    }
}

extension ControlValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral number: Int64) { self = .number(number) }
    public init(stringLiteral text: String) { self = .text(text) }
}
