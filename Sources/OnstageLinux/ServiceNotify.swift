internal import CLinux
internal import Glibc

/// What is told to systemd about this service, without a library.
package enum ServiceNotify: Hashable, Sendable {
    /// Start-up is done.
    case ready
    /// The end has begun.
    case stopping
    /// One line for `systemctl status`.
    case status(String)

    /// Sends it to `$NOTIFY_SOCKET`; does nothing where there is none. Never blocks.
    /// - Returns: Nil, or a line for the log: it could not be told, which changes nothing else.
    ///
    /// *C: `sendto`.*
    package func send() -> String? {
        guard let path = Environment.value("NOTIFY_SOCKET"), !path.isEmpty else { return nil }
        return send(to: path)
    }

    /// Sends it to the socket at `path`, or with that abstract name if it begins with "@".
    package func send(to path: String) -> String? {
        guard path.hasPrefix("/") || path.hasPrefix("@") else {
            return "$NOTIFY_SOCKET is \(path), neither a path nor an abstract name: systemd is not told"
        }
        let bytes = Array(message.utf8)
        let answer = clinux_unix_send(path, bytes, bytes.count)
        guard answer < 0 else { return nil }
        return "systemd is not told \(message): \(String(cString: strerror(-answer))) from sendto to \(path)"
    }

    private var message: String {
        switch self {
        case .ready: "READY=1"
        case .stopping: "STOPPING=1"
        case .status(let text): "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
    }
}
