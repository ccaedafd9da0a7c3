internal import CLinux
internal import Glibc
package import OnstageCore

/// A log on standard error, as the programs keep it: one write for a message, so that messages of several threads do not mix.
///
/// Where journald reads it (`$JOURNAL_STREAM` names this very descriptor), each line bears its priority instead of the
/// level's name.
package struct StandardErrorLog: Sendable {
    private let program: String
    private let level: LogLevel
    private let descriptor: Int32
    private let isJournal: Bool
    private let isTerminal: Bool

    /// - Parameter level: What matters less is left out.
    package init(program: String, level: LogLevel = .notice, descriptor: Int32 = 2) {
        self.program = program
        self.level = level
        self.descriptor = descriptor
        isTerminal = Terminal.isTerminal(descriptor)
        let stream = Environment.value("JOURNAL_STREAM")
        isJournal = stream != nil && stream == Self.identity(of: descriptor)
    }

    /// Writes `message`, one line for each of its lines. *C: `write`.*
    package func write(_ level: LogLevel, _ message: String) {
        guard level <= self.level else { return }
        // A terminal that is held (Ctrl-S) holds up nobody.
        if isTerminal, !Terminal.takesOutput(descriptor) { return }
        let start = isJournal ? "<\(level.rawValue)>" : "\(program): \(level == .notice ? "" : level.name + ": ")"
        let text = message.split(whereSeparator: \.isNewline).map { "\(start)\($0)\n" }.joined()
        let bytes = Array(text.utf8)
        // A log that nobody reads any more (EPIPE) or that is full (EAGAIN) stops nothing.
        _ = clinux_write(descriptor, bytes, bytes.count)
    }

    /// For the broker and the drivers.
    package var handler: LogHandler {
        { level, message in write(level, message) }
    }

    /// "DEVICE:INODE", as systemd writes it in `$JOURNAL_STREAM`.
    private static func identity(of descriptor: Int32) -> String? {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        return "\(facts.st_dev):\(facts.st_ino)"
    }
}
