internal import Onstage
internal import OnstageCore

extension FormatValue {
    /// For people.
    ///
    /// - Parameter number: how a number is told that is no whole one.
    func text(_ number: (Double) -> String) -> String {
        switch self {
        case .integer(let value): String(value)
        case .number(let value): number(value)
        case .text(let text): text
        case .flag(let flag): flag ? "yes" : "no"
        }
    }
}
