import CLinux
import Glibc
import Onstage
import OnstageLinux
import OnstageTestSupport

/// An empty folder of a test's own, gone with it. Its path is short: sockets are made in it.
final class CommandScratch {
    private let folder = Scratch(name: "onstage-c")
    private var count = 0

    var path: String { folder.path }

    func callAsFunction(_ name: String) -> String { folder(name) }

    func unique(_ name: String) -> String {
        count += 1
        return self("\(name)-\(count)")
    }

    /// Makes a file and answers its path.
    func file(_ name: String, _ text: String) -> String { folder.file(name, text) }

    func json(_ name: String) throws -> JSONValue {
        try JSONReader.read(try TextFile.bytes(self(name)))
    }
}

extension JSONValue {
    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .null, .flag, .text, .list, .object: nil
        }
    }

    var string: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var elements: [JSONValue] {
        if case .list(let elements) = self { elements } else { [] }
    }

    var names: [String] {
        if case .object(let members) = self { members.map(\.name) } else { [] }
    }
}
