internal import Onstage
internal import OnstageCore

extension FormatValue {
    var json: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        case .flag(let flag): .flag(flag)
        }
    }
}
