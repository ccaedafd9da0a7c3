internal import Onstage

/// `onstage profile`: the command line of ``ProfileCommand``.
enum ProfileSubcommand {
    private static let table = OptionTable(
        program: "onstage profile",
        forms: ["list [--json]", "show NAME|FILE", "detect [--json]", "check [NAME|FILE]…"],
        summary: "Profiles say which devices a machine's scenes use, and how.",
        options: [.init("json", short: "j", "for programs (list, detect)")],
        notes: """
            list    names, descriptions and where each was found
            show    the text of one
            detect  the one that fits this machine, and why
            check   what is wrong with one, by JSON pointer; without a name: with each that is found
            """)

    static func run(_ arguments: [String]) -> Int32 {
        do throws(UsageError) {
            let parsed = try ParsedOptions(arguments, table)
            if parsed.has("help") { return Output.out(table.helpText) ? 0 : 1 }
            let answer = try answer(parsed)
            Output.complain(answer.errors)
            return Output.out(answer.output) ? answer.status : 1
        } catch {
            return Command.refuse(error, table)
        }
    }

    private static func answer(_ parsed: ParsedOptions) throws(UsageError) -> ProfileCommand.Answer {
        let library = ProfileLibrary.standard
        guard let verb = parsed.operands.first else { throw UsageError("say what: list, show, detect or check") }
        let names = parsed.operands.dropFirst()
        let isJSON = parsed.has("json")
        switch (verb, names.count) {
        case ("list", 0): return ProfileCommand.list(library, json: isJSON)
        case ("detect", 0): return ProfileCommand.detect(DetectedDevices(DeviceList()), library, json: isJSON)
        case ("show", 1):
            if isJSON { throw UsageError("show takes no --json: a profile is JSON") }
            return ProfileCommand.show(parsed.operands[1], library)
        case ("check", _):
            if isJSON { throw UsageError("check takes no --json") }
            let names = names.isEmpty ? library.entries().map(\.path).map { $0 ?? "" } : Array(names)
            var all = ProfileCommand.Answer()
            for name in names where !name.isEmpty {
                let one = ProfileCommand.check(name, library)
                all.status = max(all.status, one.status)
                all.output += one.output
                all.errors += one.errors
            }
            return all
        case ("list", _), ("detect", _): throw UsageError("\(verb) takes no name")
        case ("show", _): throw UsageError("show takes one name or file")
        default: throw UsageError("there is no profile \(verb): list, show, detect or check")
        }
    }
}
