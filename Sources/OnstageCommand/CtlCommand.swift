internal import OnstageCore
internal import OnstageLinux

/// `onstage ctl`
enum CtlCommand {
    private static let table = OptionTable(
        program: "onstage ctl", forms: ["[--pid PID] WISH [scene=NAME]", "[--pid PID] status [--json]"],
        summary: "Sends a wish to a running onstage run, and prints its answer.",
        options: [
            .init("pid", short: "p", value: "PID", "to which, where several run"),
            .init("json", short: "j", "status for programs"),
        ],
        notes: """
            Wishes:
              active, inactive, background, suspended, play, pause, seek FRAMES,
              interrupt REASON [camera|motion|audio], interrupt-ended resume|stay, end

            Exit status: 0 done, 1 refused or nobody to ask, 2 wrong usage or several to choose from.
            """)

    static func run(_ arguments: [String]) -> Int32 {
        do throws(UsageError) {
            let parsed = try ParsedOptions(arguments, table)
            if parsed.has("help") { return Output.out(table.helpText) ? 0 : 1 }
            let line = try line(parsed)
            var pid: Int32?
            if let text = parsed.value("pid") {
                guard let number = Int32(text), number > 0 else { throw UsageError("--pid \(text) is no process ID") }
                pid = number
            }
            return try ask(line, pid)
        } catch {
            return Command.refuse(error, table)
        }
    }

    /// The line to send; what is no wish is refused here already.
    private static func line(_ parsed: ParsedOptions) throws(UsageError) -> String {
        guard !parsed.operands.isEmpty else { throw UsageError("say a wish, or status") }
        if parsed.operands == ["status"] { return parsed.has("json") ? "status json" : "status" }
        if parsed.has("json") { throw UsageError("--json goes with status") }
        do throws(SceneWish.Refusal) {
            return try SceneWish(line: parsed.operands.joined(separator: " ")).description
        } catch {
            throw UsageError(error.description)
        }
    }

    private static func ask(_ line: String, _ pid: Int32?) throws(UsageError) -> Int32 {
        let all = ControlClient.list()
        let fitting = all.filter { pid == nil || $0.pid == pid }
        guard fitting.count <= 1 else {
            let list = fitting.map { "  --pid \($0.pid)" + ($0.program.map { "  \($0)" } ?? "") + "  \($0.path)" }
            Output.complain("onstage ctl: several run; say which:\n" + list.joined(separator: "\n") + "\n")
            return 2
        }
        guard let server = fitting.first else {
            let who = pid.map { "no onstage run with pid \($0)" } ?? "no onstage run of this user"
            Output.complain("onstage ctl: \(who) can be reached: start one with onstage run\n")
            return 1
        }
        do throws(DeviceError) {
            var client = try ControlClient(server.path)
            let answer = try client.request(line)
            return Output.out(answer.map { $0 + "\n" }.joined()) ? 0 : 1
        } catch {
            let text = error.kind == .configuration ? error.reason ?? "\(error)" : "\(error)"
            Output.complain("onstage ctl: \(text)\n")
            return 1
        }
    }
}
