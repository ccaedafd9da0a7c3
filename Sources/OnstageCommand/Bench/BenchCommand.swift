/// `onstage bench`
enum BenchCommand {
    private static let table = OptionTable(
        program: "onstage bench", forms: ["imu [OPTION]…"],
        summary: "Plays an accelerometer and a gyroscope through /dev/uhid; see onstage bench imu --help.", options: [])

    static func run(_ arguments: [String]) -> Int32 {
        if arguments.first == "imu" { return BenchIMU.run(Array(arguments.dropFirst())) }
        do throws(UsageError) {
            let parsed = try ParsedOptions(arguments, table)
            if parsed.has("help") { return Output.out(table.helpText) ? 0 : 1 }
            throw UsageError(parsed.operands.first.map { "there is no bench \($0)" } ?? "say what: imu")
        } catch {
            return Command.refuse(error, table)
        }
    }
}
