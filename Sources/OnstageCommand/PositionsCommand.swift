internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// `onstage positions`
enum PositionsCommand {
    private static let table = OptionTable(
        program: "onstage positions",
        forms: [
            "[list] [--json] [--state DIR]", "show FILE|KEY [--json] [--state DIR]",
            "clear FILE|KEY… | --all [--state DIR]",
        ],
        summary: "Lists, shows and clears where sounds were left. Whatever plays meanwhile is not disturbed.",
        options: [
            .init("json", short: "j", "for programs"),
            .init("all", short: "a", "clear everything that is kept"),
            .init("state", value: "DIR", "where positions are kept; $STATE_DIRECTORY, else $XDG_STATE_HOME/onstage"),
        ],
        notes: """
            A FILE is known by its path, size and time: another recording under its name begins at 0, and what was kept of
            the one before is marked as another's. What plays while it is cleared is kept anew within a second.

            Exit status: 0 done, 1 nothing is kept of it, or the store cannot be read or written, 2 wrong usage.
            """)

    private enum Task {
        case list
        case show(String)
        case clear([String])
        case clearAll
    }

    static func run(_ arguments: [String]) -> Int32 {
        do throws(UsageError) {
            let parsed = try ParsedOptions(arguments, table)
            if parsed.has("help") { return Output.out(table.helpText) ? 0 : 1 }
            if parsed.value("state") == "" { throw UsageError("--state needs a value") }
            let task = try task(parsed)
            guard let directory = parsed.value("state") ?? Positions.standardDirectory else {
                Output.complain(
                    "onstage positions: neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME names a place; name one by --state\n"
                )
                return 1
            }
            do throws(DeviceError) {
                return try carryOut(task, in: directory, isJSON: parsed.has("json"))
            } catch {
                Output.complain("onstage positions: \(error)\n")
                return 1
            }
        } catch {
            return Command.refuse(error, table)
        }
    }

    private static func task(_ parsed: ParsedOptions) throws(UsageError) -> Task {
        let names = Array(parsed.operands.dropFirst())
        let isAll = parsed.has("all")
        switch parsed.operands.first ?? "list" {
        case "list":
            guard names.isEmpty else { throw UsageError("what is \"\(names[0])\"? list takes no FILE; show does") }
            if isAll { throw UsageError("--all goes with clear") }
            return .list
        case "show":
            guard names.count == 1 else { throw UsageError("show one FILE or KEY") }
            if isAll { throw UsageError("--all goes with clear") }
            return .show(names[0])
        case "clear":
            if parsed.has("json") { throw UsageError("--json goes with list and show") }
            guard names.isEmpty == isAll else {
                throw UsageError(
                    isAll ? "clear --all, or FILEs and KEYs: which?" : "clear which FILE or KEY, or --all?")
            }
            return isAll ? .clearAll : .clear(names)
        default:
            throw UsageError("what is \"\(parsed.operands[0])\"? list, show or clear")
        }
    }

    private static func carryOut(_ task: Task, in directory: String, isJSON: Bool) throws(DeviceError) -> Int32 {
        switch task {
        case .list:
            let all = try Positions.kept(in: directory)
            if !isJSON, all.isEmpty { return Output.out("nothing is kept in \(directory)\n") ? 0 : 1 }
            return Output.out(isJSON ? PositionsText.json(all, directory) : PositionsText.table(all)) ? 0 : 1
        case .show(let name):
            let found = try Positions.kept(in: directory).filter(meant(by: name))
            guard !found.isEmpty else { return nothing(name) }
            return Output.out(isJSON ? PositionsText.json(found, directory) : PositionsText.table(found)) ? 0 : 1
        case .clear(let names):
            var status: Int32 = 0
            for name in names where try Positions.forget(in: directory, where: meant(by: name)) == 0 {
                status = nothing(name)
            }
            return status
        case .clearAll:
            try Positions.forget(in: directory)
            return 0
        }
    }

    private static func nothing(_ name: String) -> Int32 {
        Output.complain("onstage positions: nothing is kept of \(PlayItem.shown(name))\n")
        return 1
    }

    /// A key by its name; a file by any path that leads to it, or, where it is gone, by the path that it had.
    private static func meant(by name: String) -> (KeptPosition) -> Bool {
        let real = Path.canonical(name)
        let gone = name.hasPrefix("/") ? nil : Path.current.map { "\($0)/\(name)" }
        return { kept in
            switch kept.media {
            case .key(let key): key == name
            case .file(let path): path == name || path == real || path == gone
            }
        }
    }
}
