/// A command line, taken apart in GNU's way: `--name=value`, `--name value`, `-nvalue`, `-n value`, `-ab`; options and
/// operands in any order; after `--` only operands.
struct ParsedOptions: Hashable, Sendable {
    /// By long name; a text for each time it was given, empty for an option without a value.
    private(set) var given: [String: [String]] = [:]
    private(set) var operands: [String] = []

    /// - Throws: `UsageError` for what the table does not know.
    init(_ arguments: some Sequence<String>, _ table: OptionTable) throws(UsageError) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                return
            }
            if argument.hasPrefix("--") {
                try takeLong(argument.dropFirst(2), &rest, table)
            } else if argument.hasPrefix("-"), argument != "-" {
                try takeShort(argument.dropFirst(), &rest, table)
            } else {
                operands.append(argument)
            }
        }
    }

    /// Whether it was given.
    func has(_ name: String) -> Bool { given[name] != nil }

    /// The value given last.
    func value(_ name: String) -> String? { given[name]?.last }

    private mutating func takeLong(
        _ text: Substring, _ rest: inout ArraySlice<String>, _ table: OptionTable
    ) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = (table.options + [OptionTable.help]).first(where: { $0.long == parts[0] }) else {
            throw UsageError("unknown option --\(parts[0])")
        }
        guard option.value != nil else {
            if parts.count > 1 { throw UsageError("--\(option.long) takes no value") }
            return given[option.long, default: []].append("")
        }
        guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst() else {
            throw UsageError("--\(option.long) needs a value")
        }
        given[option.long, default: []].append(value)
    }

    private mutating func takeShort(
        _ text: Substring, _ rest: inout ArraySlice<String>, _ table: OptionTable
    ) throws(UsageError) {
        var letters = text
        while let letter = letters.popFirst() {
            guard let option = (table.options + [OptionTable.help]).first(where: { $0.short == letter }) else {
                throw UsageError("unknown option -\(letter)")
            }
            guard option.value != nil else {
                given[option.long, default: []].append("")
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw UsageError("-\(letter) needs a value")
            }
            given[option.long, default: []].append(value)
            return
        }
    }
}
