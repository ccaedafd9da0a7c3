/// What a subcommand takes: read by the parser, shown by `--help`.
struct OptionTable: Sendable {
    struct Option: Sendable {
        /// Without its dashes.
        var long: String
        var short: Character?
        /// What stands for its value in the help; nil for an option without one.
        var value: String?
        var help: String

        init(_ long: String, short: Character? = nil, value: String? = nil, _ help: String) {
            self.long = long
            self.short = short
            self.value = value
            self.help = help
        }
    }

    /// "onstage run"
    var program: String
    /// What follows the program's name, a line for each form; "[OPTION]…" is one of them.
    var forms: [String]
    /// One sentence.
    var summary: String
    var options: [Option]
    /// What follows the options in the help.
    var notes = ""

    /// Every subcommand has it.
    static let help = Option("help", short: "h", "show this and end")

    /// The text of `--help`.
    var helpText: String {
        var text = ""
        for (index, form) in forms.enumerated() {
            text += (index == 0 ? "usage: " : "       ") + program + (form.isEmpty ? "" : " \(form)") + "\n"
        }
        text += "\n\(summary)\n"
        let rows = (options + [Self.help]).map { option in
            let short = option.short.map { "-\($0), " } ?? "    "
            return (short + "--\(option.long)" + (option.value.map { " \($0)" } ?? ""), option.help)
        }
        let width = rows.map(\.0.count).max() ?? 0
        text += "\n"
        for (name, help) in rows {
            let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                let start = index == 0 ? name : ""
                text += "  \(start.padded(to: width))  \(line)\n"
            }
        }
        return notes.isEmpty ? text : text + "\n\(notes)\n"
    }
}
