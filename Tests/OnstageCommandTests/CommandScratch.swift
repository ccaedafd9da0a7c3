import CLinux
import Glibc
import Onstage
import OnstageLinux

/// An empty folder of a test's own, gone with it. Its path is short: sockets are made in it.
final class CommandScratch {
    let path: String
    private var count = 0

    init() {
        var template = Array("/tmp/onstage-c-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    func unique(_ name: String) -> String {
        count += 1
        return self("\(name)-\(count)")
    }

    /// Makes a file and answers its path.
    func file(_ name: String, _ text: String) -> String {
        let file = clinux_open(self(name), O_WRONLY | O_CREAT | O_TRUNC)
        precondition(file >= 0)
        let bytes = Array(text.utf8)
        precondition(clinux_write(file, bytes, bytes.count) == bytes.count)
        _ = clinux_close(file)
        return self(name)
    }

    func json(_ name: String) throws -> JSONValue {
        try JSONReader.read(try TextFile.bytes(self(name)))
    }

    private static func remove(_ path: String) {
        var file = clinux_file()
        if clinux_look_at_link(AT_FDCWD, path, &file) == 0, clinux_is_folder(file) {
            for name in Folder.names(in: path) { remove("\(path)/\(name)") }
            rmdir(path)
        } else {
            unlink(path)
        }
    }

    deinit { Self.remove(path) }
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
