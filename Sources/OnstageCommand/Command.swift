internal import Glibc
internal import OnstageCore

/// The command `onstage`: which of its subcommands a command line means.
enum Command {
    static let version = "0.1.0"

    /// One of the subcommands.
    struct Subcommand: Sendable {
        var name: String
        /// For the list of them all.
        var summary: String
        var run: @Sendable ([String]) -> Int32
    }

    static let subcommands = [
        Subcommand(name: "run", summary: "hold the devices while on stage: the main job", run: RunCommand.run),
        Subcommand(name: "play", summary: "play a sound, exactly", run: PlayCommand.run),
        Subcommand(
            name: "positions", summary: "list, show and clear where sounds were left", run: PositionsCommand.run),
        Subcommand(name: "ctl", summary: "send a wish to a running onstage run", run: CtlCommand.run),
        Subcommand(name: "devices", summary: "list cameras, motion sensors and sound cards", run: DevicesCommand.run),
        Subcommand(name: "camera", summary: "what a camera has: formats, controls; set them", run: CameraCommand.run),
        Subcommand(name: "snapshot", summary: "write one picture of a camera to a file", run: SnapshotCommand.run),
        Subcommand(name: "record", summary: "write a camera's frames to a file", run: RecordCommand.run),
        Subcommand(name: "sensors", summary: "show, check and plot what motion sensors feel", run: SensorsCommand.run),
        Subcommand(name: "profile", summary: "list, show, detect or check profiles", run: ProfileSubcommand.run),
        Subcommand(name: "bench", summary: "the bench: bench imu, camera, motion", run: BenchCommand.run),
        Subcommand(name: "help", summary: "show the help of a subcommand", run: help),
    ]

    /// Answers the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        guard let first = arguments.first else {
            Output.complain(usage)
            return 2
        }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "--version", "-V": return Output.out("onstage \(version)\n") ? 0 : 1
        case "--help", "-h": return Output.out(usage) ? 0 : 1
        default: break
        }
        if let known = subcommands.first(where: { $0.name == first }) { return known.run(rest) }
        if !first.hasPrefix("-") { ExternalCommand.replaceProcess(first, rest) }
        let what = first.hasPrefix("-") ? "unknown option \(first)" : "there is no subcommand \(first)"
        return refuse(UsageError(what), program: "onstage")
    }

    /// Has a subcommand do what its command line says; its help, and what is wrong with the line, are answered here.
    static func perform<Options: CommandOptions>(_ arguments: [String], _ body: (Options) -> Int32) -> Int32 {
        let options: Options
        do throws(UsageError) {
            options = try Options(arguments)
        } catch {
            return refuse(error, Options.table)
        }
        if options.wantsHelp { return Output.out(Options.table.helpText) ? 0 : 1 }
        return body(options)
    }

    /// The status of `body`; 1 where a device fails, which is said.
    static func attempt(_ table: OptionTable, _ body: () throws(DeviceError) -> Int32) -> Int32 {
        do throws(DeviceError) {
            return try body()
        } catch {
            Output.complain("\(table.program): \(error)\n")
            return 1
        }
    }

    /// Says what is wrong with a command line and answers status 2.
    static func refuse(_ error: UsageError, _ table: OptionTable) -> Int32 {
        refuse(error, program: table.program)
    }

    static func refuse(_ error: UsageError, program: String) -> Int32 {
        Output.complain("\(program): \(error)\nTry '\(program) --help' for more information.\n")
        return 2
    }

    private static func help(_ arguments: [String]) -> Int32 {
        guard let name = arguments.first, !["--help", "-h"].contains(name) else { return Output.out(usage) ? 0 : 1 }
        if name == "help" { return Output.out(usage) ? 0 : 1 }
        return run([name, "--help"])
    }

    private static var usage: String {
        let width = subcommands.map(\.name.count).max() ?? 0
        let rows = subcommands.map { command in
            "  \(command.name.padded(to: width))  \(command.summary)\n"
        }
        return """
            usage: onstage SUBCOMMAND [OPTION]…
                   onstage --version
                   onstage help [SUBCOMMAND]

            Holds camera, motion sensors and sound while a person looks, and nothing when not.

            \(rows.joined())
            Any other NAME runs the program onstage-NAME.

            """
    }
}
