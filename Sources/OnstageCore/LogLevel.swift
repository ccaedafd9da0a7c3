/// How much a line of the log matters. The numbers are syslog's, which journald reads as priorities.
public enum LogLevel: Int, Hashable, Comparable, Sendable, CaseIterable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// More urgent comes first.
    public static func < (a: LogLevel, b: LogLevel) -> Bool {
        a.rawValue < b.rawValue
    }

    /// "error", "warning" …
    public var name: String { "\(self)" }
}

/// Where the library's log goes: the library itself writes nowhere.
///
/// *Runs on:* whatever thread has something to say; it must not wait.
public typealias LogHandler = @Sendable (LogLevel, String) -> Void
