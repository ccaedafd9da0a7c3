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
            signals = try SignalDescriptor([
                SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH,
            ])
        } catch {
            Output.complain("onstage play: \(error)\n")
            return 1
        }
        // A reader of our lines that leaves does not end the sound; in the background neither a key nor a line stops it.
        for number in [SIGPIPE, SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
        return Command.perform(arguments) { perform($0, signals) }
    }

    private static func perform(_ options: PlayOptions, _ signals: SignalDescriptor) -> Int32 {
        if options.wantsInfo { return PlayInfo.run(options) }
        let screen = Screen(
            program: "onstage play", isQuiet: options.isQuiet, isVerbose: options.isVerbose,
            isForPeople: !options.isJSON)
        do throws(DeviceError) {
            return try PlaySession(options, screen: screen, signals: signals).perform()
        } catch {
            screen.write(.error, "\(error)")
            return 1
        }
    }
}
