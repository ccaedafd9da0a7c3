/// `onstage bench`
enum BenchCommand {
    private static let table = OptionTable(
        program: "onstage bench", forms: ["imu [OPTION]…", "camera [OPTION]… DEVICE"],
        summary: """
            imu: plays an accelerometer and a gyroscope through /dev/uhid; camera: measures a camera.
            See onstage bench imu --help, onstage bench camera --help.
            """, options: [])

    static func run(_ arguments: [String]) -> Int32 {
        if arguments.first == "imu" { return BenchIMU.run(Array(arguments.dropFirst())) }
        if arguments.first == "camera" { return BenchCamera.run(Array(arguments.dropFirst())) }
        do throws(UsageError) {
            let parsed = try ParsedOptions(arguments, table)
            if parsed.has("help") { return Output.out(table.helpText) ? 0 : 1 }
            throw UsageError(parsed.operands.first.map { "there is no bench \($0)" } ?? "say what: imu or camera")
        } catch {
            return Command.refuse(error, table)
        }
    }
}
