/// Reads JSON (RFC 8259), strictly: UTF-8, no comments, no commas too many, no key twice in an object.
package struct JSONReader {
    /// Where and why a text is no JSON.
    package struct Fault: Error, Hashable, Sendable {
        /// From 1.
        package var line: Int
        /// From 1, in bytes.
        package var column: Int
        package var reason: String
    }

    /// How deep lists and objects may stand in each other.
    package static let depth = 64

    private let bytes: [UInt8]
    private var place = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The one value that `bytes` are.
    package static func read(_ bytes: [UInt8]) throws(Fault) -> JSONValue {
        var reader = JSONReader(bytes)
        reader.skipBlanks()
        let value = try reader.value(0)
        reader.skipBlanks()
        if reader.place < bytes.count { throw reader.fault("something follows the end") }
        return value
    }

    // MARK: Values

    private mutating func value(_ depth: Int) throws(Fault) -> JSONValue {
        guard depth < Self.depth else { throw fault("too deep") }
        switch peek {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try list(depth)
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .flag(true))
        case UInt8(ascii: "f"): return try word("false", .flag(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw fault("it breaks off here")
        case let byte? where byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte): return try number()
        default: throw fault("a value was expected")
        }
    }

    private mutating func object(_ depth: Int) throws(Fault) -> JSONValue {
        place += 1
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        skipBlanks()
        if take(UInt8(ascii: "}")) { return .object([]) }
        while true {
            skipBlanks()
            guard peek == UInt8(ascii: "\"") else { throw fault(orEnd: "a key in quotes was expected") }
            let start = place
            let name = try text()
            guard names.insert(name).inserted else {
                place = start
                throw fault("the key \"\(name)\" stands here twice")
            }
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw fault(orEnd: "\":\" was expected") }
            skipBlanks()
            members.append(JSONValue.Member(name, try value(depth + 1)))
            skipBlanks()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw fault(orEnd: "\",\" or \"}\" was expected") }
        }
    }

    private mutating func list(_ depth: Int) throws(Fault) -> JSONValue {
        place += 1
        var elements: [JSONValue] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .list([]) }
        while true {
            skipBlanks()
            elements.append(try value(depth + 1))
            skipBlanks()
            if take(UInt8(ascii: "]")) { return .list(elements) }
            guard take(UInt8(ascii: ",")) else { throw fault(orEnd: "\",\" or \"]\" was expected") }
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(Fault) -> JSONValue {
        for byte in word.utf8 where !take(byte) { throw fault(orEnd: "\(word) was expected") }
        return value
    }

    private mutating func number() throws(Fault) -> JSONValue {
        let start = place
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if isWhole, let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else { throw fault("no number") }
        return .number(number)
    }

    private mutating func digits() throws(Fault) {
        let start = place
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
        if place == start { throw fault(orEnd: "a digit was expected") }
    }

    // MARK: Text

    private mutating func text() throws(Fault) -> String {
        place += 1
        var piece: [UInt8] = []
        while true {
            switch peek {
            case nil: throw fault("it breaks off in a text")
            case UInt8(ascii: "\""):
                guard let text = String(validating: piece, as: UTF8.self) else {
                    throw fault("a text that is no UTF-8")
                }
                place += 1
                return text
            case UInt8(ascii: "\\"):
                place += 1
                try escape(into: &piece)
            case let byte? where byte < 0x20: throw fault("a control character in a text")
            case let byte?:
                piece.append(byte)
                place += 1
            }
        }
    }

    private mutating func escape(into piece: inout [UInt8]) throws(Fault) {
        guard let byte = peek else { throw fault("it breaks off in a text") }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): piece.append(byte)
        case UInt8(ascii: "b"): piece.append(0x08)
        case UInt8(ascii: "f"): piece.append(0x0C)
        case UInt8(ascii: "n"): piece.append(0x0A)
        case UInt8(ascii: "r"): piece.append(0x0D)
        case UInt8(ascii: "t"): piece.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexadecimal()
            if (0xD800..<0xDC00).contains(code), peek == UInt8(ascii: "\\") {
                place += 1
                guard take(UInt8(ascii: "u")) else { throw fault("half a surrogate pair") }
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw fault("half a surrogate pair") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault("half a surrogate pair") }
            piece += Array(String(Character(scalar)).utf8)
        default:
            place -= 1
            throw fault("no such escape")
        }
    }

    private mutating func hexadecimal() throws(Fault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault(orEnd: "four hexadecimal digits were expected")
            }
            code = code << 4 + UInt32(digit)
            place += 1
        }
        return code
    }

    // MARK: Bytes

    private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    private func fault(orEnd reason: String) -> Fault {
        fault(place < bytes.count ? reason : "it breaks off here")
    }

    private func fault(_ reason: String) -> Fault {
        let before = bytes[..<min(place, bytes.count)]
        let line = before.count { $0 == 0x0A } + 1
        let column = before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        return Fault(line: line, column: column, reason: reason)
    }
}
