extension JSONValue {
    /// The text of this value, indented for people; what fits into a line stands on one.
    package var text: String {
        var bytes = ""
        write(to: &bytes, indent: 0, line: 100)
        return bytes
    }

    /// The text of this value on one line.
    package var line: String {
        var bytes = ""
        write(to: &bytes, indent: 0, line: nil)
        return bytes
    }

    /// `line`: how many columns a line has; nil for everything on one.
    private func write(to text: inout String, indent: Int, line: Int?) {
        switch self {
        case .null: text += "null"
        case .flag(let flag): text += flag ? "true" : "false"
        case .integer(let number): text += String(number)
        case .number(let number): text += Self.text(number)
        case .text(let words): Self.quote(words, to: &text)
        case .list(let elements):
            Self.write(elements, "[", "]", to: &text, indent, line) { element, text, indent, line in
                element.write(to: &text, indent: indent, line: line)
            }
        case .object(let members):
            Self.write(members, "{", "}", to: &text, indent, line) { member, text, indent, line in
                Self.quote(member.name, to: &text)
                text += ": "
                member.value.write(to: &text, indent: indent, line: line)
            }
        }
    }

    private static func write<Part>(
        _ parts: [Part], _ open: String, _ close: String, to text: inout String, _ indent: Int, _ line: Int?,
        _ write: (Part, inout String, Int, Int?) -> Void
    ) {
        var short = open
        for (index, part) in parts.enumerated() {
            if index > 0 { short += ", " }
            write(part, &short, 0, nil)
            if let line, short.utf8.count + indent > line { break }
        }
        short += close
        guard let line, short.utf8.count + indent > line else {
            text += short
            return
        }
        text += open
        for (index, part) in parts.enumerated() {
            text += index > 0 ? ",\n" : "\n"
            text += String(repeating: " ", count: indent + 2)
            write(part, &text, indent + 2, line)
        }
        text += "\n" + String(repeating: " ", count: indent) + close
    }

    /// The shortest text that reads back as `number`; null for what JSON cannot say.
    private static func text(_ number: Double) -> String {
        guard number.isFinite else { return "null" }
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func quote(_ words: String, to text: inout String) {
        text += "\""
        for scalar in words.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                text += scalar.value < 16 ? "\\u000" : "\\u00"
                text += String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
