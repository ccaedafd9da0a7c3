/// What a JSON text says, with the members of its objects in their order.
///
/// Ours rather than FoundationEssentials': that one shuffles the keys that it writes, keeps silent about keys that stand
/// twice and about where a text breaks off, and doubles the size of the command.
package enum JSONValue: Hashable, Sendable {
    case null
    case flag(Bool)
    /// A number written without a fraction or an exponent.
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([Member])

    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The member of this name, if this is an object that has one.
    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(members.map { Member($0, $1) })
    }
    package init(arrayLiteral elements: JSONValue...) {
        self = .list(elements)
    }
    package init(stringLiteral text: String) {
        self = .text(text)
    }
    package init(integerLiteral number: Int64) {
        self = .integer(number)
    }
    package init(booleanLiteral flag: Bool) {
        self = .flag(flag)
    }
}
