internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// `onstage run`
enum RunCommand {
    /// Answers the exit status: 0 done, 1 something failed for good, 2 wrong usage, profile or scenario.
    static func run(_ arguments: [String]) -> Int32 {
        Command.perform(arguments, perform)
    }

    private static func perform(_ options: RunOptions) -> Int32 {
        let screen = Screen(program: "onstage", isQuiet: options.isQuiet, isVerbose: options.isVerbose)
        do throws(RunPlan.Refusal) {
            let plan = try RunPlan(options)
            for notice in plan.notices { screen.write(.notice, notice) }
            return perform(plan, screen)
        } catch {
            screen.write(.error, error.text)
            return error.status
        }
    }

    private static func perform(_ plan: RunPlan, _ screen: Screen) -> Int32 {
        // A reader of our lines that leaves ends no run; a closed terminal does.
        signal(SIGPIPE, SIG_IGN)
        do throws(DeviceError) {
            // Before any thread: threads made later inherit the block.
            let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT])
            let positions = plan.options.media.map { _ in
                Positions(directory: plan.stateDirectory) { screen.write(.warning, $0) }
            }
            let media = Profile.Media(path: plan.options.media, positions: positions, folder: plan.stateDirectory)
            let resources = try plan.profile.resources(media, isSynthetic: plan.isSynthetic)
            for oddity in resources.player?.info.oddities ?? [] { screen.write(.warning, oddity) }
            let run = try Run(plan, screen: screen, signals: signals, positions: positions)
            return run.perform(main: resources)
        } catch {
            screen.write(.error, "\(error)")
            report(plan, screen)
            return 1
        }
    }

    /// The report of a run that could not begin.
    private static func report(_ plan: RunPlan, _ screen: Screen) {
        guard let path = plan.options.report else { return }
        var report = Report(start: .now, profile: plan.profile.name)
        report.exit = 1
        report.playback = plan.options.media.map { Report.Playback(media: $0) }
        do throws(DeviceError) {
            try AtomicFile.write(path, report.text)
        } catch {
            screen.write(.error, "the report is not written: \(error)")
        }
    }
}
