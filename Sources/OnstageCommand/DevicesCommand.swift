internal import Onstage
internal import OnstageCore

/// `onstage devices`
enum DevicesCommand {
    private static let table = OptionTable(
        program: "onstage devices", forms: ["[--json] [--all]"],
        summary: "Lists cameras, motion sensors and sound cards, by the identity to bind each by, and who has it now.",
        options: [
            .init("json", short: "j", "for programs"),
            .init("all", short: "a", "nodes that are no cameras and cards that cannot play, too"),
        ],
        notes: "No device at all is an answer, not an error.")

    static func run(_ arguments: [String]) -> Int32 {
        do throws(UsageError) {
            let parsed = try ParsedOptions(arguments, table)
            if parsed.has("help") { return Output.out(table.helpText) ? 0 : 1 }
            if let operand = parsed.operands.first { throw UsageError("what is \"\(operand)\"?") }
            var list = DeviceList(includesOther: parsed.has("all"))
            if !parsed.has("all") { list.cards.removeAll { $0.playback.isEmpty } }
            let text = parsed.has("json") ? DeviceListText.json(list).text + "\n" : DeviceListText.table(list)
            return Output.out(text) ? 0 : 1
        } catch {
            return Command.refuse(error, table)
        }
    }
}
