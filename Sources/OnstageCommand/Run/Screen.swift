internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// What a run shows: event lines, or one status line that is written over itself, and the log beside it.
///
/// A terminal that takes nothing (Ctrl-S) misses what is shown: whoever writes has signals and keys to wait for.
///
/// *Runs on:* any thread; lines of several threads do not mix.
final class Screen: Sendable {
    enum Style: Hashable, Sendable {
        case quiet
        /// A line for each event.
        case lines
        /// A status line; nothing else but what is said by ``say(_:)``.
        case status
    }

    let style: Style
    private let log: StandardErrorLog
    /// Whether a status line stands at the cursor.
    private let isStanding = Mutex(false)
    private static let clear = "\r\u{1B}[K"

    private var takesOutput: Bool { style != .status || Terminal.takesOutput(1) }

    /// As the options of a command ask for.
    ///
    /// - Parameter isForPeople: whether standard output is, and not a program's.
    init(program: String, isQuiet: Bool, isVerbose: Bool, isForPeople: Bool = true) {
        style = isQuiet || !isForPeople ? .quiet : Terminal.canRewriteLine(1) && !isVerbose ? .status : .lines
        log = StandardErrorLog(program: program, level: isVerbose ? .debug : isQuiet ? .warning : .notice)
    }

    /// A line for an event.
    func tell(_ line: String) {
        if style == .lines { Output.out(line + "\n") }
    }

    /// Text that stays, such as the summary.
    func say(_ text: String) {
        guard style != .quiet, takesOutput else { return }
        isStanding.withLock { standing in
            Output.out((standing ? Self.clear : "") + text)
            standing = false
        }
    }

    /// How wide a line may be.
    var columns: Int { (Terminal.columns(1) ?? 80) - 1 }

    /// Writes the status line over the one before.
    func show(_ status: String) {
        // A background job's line would mix with the shell's.
        guard style == .status, Terminal.isForeground(1), takesOutput else { return }
        let columns = columns
        isStanding.withLock { standing in
            Output.out(Self.clear + String(status.prefix(columns)))
            standing = true
        }
    }

    /// A line of the log, on standard error.
    func write(_ level: LogLevel, _ message: String) {
        isStanding.withLock { standing in
            if standing, takesOutput { Output.out(Self.clear) }
            standing = false
            log.write(level, message)
        }
    }
}
