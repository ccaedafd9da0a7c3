internal import Onstage
internal import OnstageCore

/// What is played: one of the files of a list, or standard input.
enum PlayItem: Hashable, Sendable {
    case file(String)
    case standardInput

    /// "-" is standard input.
    init(_ operand: String) {
        self = operand == "-" ? .standardInput : .file(operand)
    }

    /// As it is shown: without anything that a terminal could take for a command.
    var name: String {
        switch self {
        case .file(let path): Self.shown(path)
        case .standardInput: "standard input"
        }
    }

    /// The last part of the path.
    var shortName: String {
        guard case .file(let path) = self, let last = path.split(separator: "/").last else { return name }
        return Self.shown(String(last))
    }

    /// Control characters become "?".
    static func shown(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            shown.unicodeScalars.append(isControl ? "?" : scalar)
        }
        return shown
    }
}
