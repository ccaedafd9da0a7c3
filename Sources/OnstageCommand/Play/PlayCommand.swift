internal import CLinux
internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// `onstage play`
enum PlayCommand {
    /// Answers the exit status: 0 played, 1 cannot be played, 2 wrong usage.
    static func run(_ arguments: [String]) -> Int32 {
        let signals: SignalDescriptor
        do throws(DeviceError) {
            // First of all: a signal that comes while we start is a wish like any other.
            signals = try SignalDescriptor(wanted)
        } catch {
            Output.complain("onstage play: \(error)\n")
            return 1
        }
        // A reader of our lines that leaves does not end the sound; in the background neither a key nor a line stops it.
        for number in [SIGPIPE, SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
        let options: PlayOptions
        do throws(UsageError) {
            options = try PlayOptions(arguments)
        } catch {
            return Command.refuse(error, PlayOptions.table)
        }
        if options.wantsHelp { return Output.out(PlayOptions.table.helpText) ? 0 : 1 }
        if options.wantsInfo { return PlayInfo.run(options) }
        let log = StandardErrorLog(
            program: "onstage play", level: options.isVerbose ? .debug : options.isQuiet ? .warning : .notice)
        let style: Screen.Style =
            options.isQuiet || options.isJSON
            ? .quiet : Terminal.canRewriteLine(1) && !options.isVerbose ? .status : .lines
        let screen = Screen(style, log: log)
        do throws(DeviceError) {
            return try PlaySession(options, screen: screen, signals: signals).perform()
        } catch {
            screen.write(.error, "\(error)")
            return 1
        }
    }

    private static var wanted: [Int32] {
        var wanted = [SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH]
        // nohup says otherwise.
        if !clinux_is_ignored(SIGHUP) { wanted.append(SIGHUP) }
        return wanted
    }
}
