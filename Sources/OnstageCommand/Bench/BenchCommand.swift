/// `onstage bench`
enum BenchCommand {
    private static let table = OptionTable(
        program: "onstage bench", forms: ["imu [OPTION]…", "camera [OPTION]… DEVICE", "motion [OPTION]… SENSOR"],
        summary: """
            imu: plays an accelerometer and a gyroscope through /dev/uhid; camera, motion: measure a camera, a sensor.
            See onstage bench imu --help, onstage bench camera --help, onstage bench motion --help.
            """, options: [])

    static func run(_ arguments: [String]) -> Int32 {
        if arguments.first == "imu" { return BenchIMU.run(Array(arguments.dropFirst())) }
        if arguments.first == "camera" { return BenchCamera.run(Array(arguments.dropFirst())) }
        if arguments.first == "motion" { return BenchMotion.run(Array(arguments.dropFirst())) }
        do throws(UsageError) {
            let parsed = try ParsedOptions(arguments, table)
            if parsed.has("help") { return Output.out(table.helpText) ? 0 : 1 }
            throw UsageError(
                parsed.operands.first.map { "there is no bench \($0)" } ?? "say what: imu, camera or motion")
        } catch {
            return Command.refuse(error, table)
        }
    }
}
