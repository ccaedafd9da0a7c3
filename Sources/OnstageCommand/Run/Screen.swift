internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// What a run shows: event lines, or one status line that is written over itself, and the log beside it.
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

    init(_ style: Style, log: StandardErrorLog) {
        self.style = style
        self.log = log
    }

    /// A line for an event.
    func tell(_ line: String) {
        if style == .lines { Output.out(line + "\n") }
    }

    /// Text that stays, such as the summary.
    func say(_ text: String) {
        guard style != .quiet else { return }
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
        guard style == .status, Terminal.isForeground(1) else { return }
        let columns = columns
        isStanding.withLock { standing in
            Output.out(Self.clear + String(status.prefix(columns)))
            standing = true
        }
    }

    /// A line of the log, on standard error.
    func write(_ level: LogLevel, _ message: String) {
        isStanding.withLock { standing in
            if standing { Output.out(Self.clear) }
            standing = false
            log.write(level, message)
        }
    }
}
