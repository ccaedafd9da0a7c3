internal import CLinux
internal import Glibc
package import OnstageCore

/// The socket by which `onstage ctl` sends wishes to a running program.
///
/// One request is one line; its answer is any number of lines that begin with "= ", then "ok" or "error TEXT". Several
/// requests may follow one another on a connection; each is answered, in order or later.
/// *Runs on:* one thread, which polls what ``prepare(_:)`` names; nothing here ever blocks. A client that stalls is dropped.
package final class ControlSocket {
    /// One connection. Never reused.
    package struct Client: Hashable, Sendable {
        let number: UInt64
    }

    /// One line from a client, to be answered with ``answer(_:lines:error:)``.
    package struct Request: Hashable, Sendable {
        package var client: Client
        package var line: String
    }

    /// What a client may cost.
    package struct Limits: Sendable {
        /// Connections at a time; one more drops the one that has been silent longest.
        package var clients = 16
        /// The longest request, in bytes.
        package var line = 4096
        /// Answers that wait to be read, in bytes.
        package var pending = 1 << 18
        /// How long a client may leave a line unfinished or an answer unread.
        package var patience = Duration.seconds(5)

        package init() {}
    }

    /// Where it listens.
    package let path: String
    private let listener: Descriptor
    private let limits: Limits
    private var connections: [ControlConnection] = []
    private var nextNumber: UInt64 = 0
    private var listenerIndex = 0
    private var pausedUntil: MonotonicTime?

    /// Listens in the first of `folders` that can be used.
    /// - Throws: the fault of the last one, with all folders in its reason: the program goes on without.
    ///
    /// *C: `bind`, `listen`.*
    package convenience init(
        folders: [String] = ControlFolder.candidates(), limits: Limits = Limits()
    ) throws(DeviceError) {
        var reasons: [String] = []
        var last: DeviceError?
        for folder in folders {
            do throws(DeviceError) {
                let path = "\(folder)/\(getpid()).sock"
                self.init(path: path, listener: try Self.listen(in: folder, path), limits: limits)
                return
            } catch {
                reasons.append("\(folder): \(error.reason ?? error.errno.map(Errno.name) ?? error.kind.rawValue)")
                last = error
            }
        }
        throw DeviceError(
            last?.kind ?? .configuration, operation: last?.operation ?? "bind", device: "control socket",
            errno: last?.errno, reason: reasons.joined(separator: ", "),
            advice: "set XDG_RUNTIME_DIR to a folder of yours")
    }

    private init(path: String, listener: consuming Descriptor, limits: Limits) {
        self.path = path
        self.listener = listener
        self.limits = limits
    }

    private static func listen(in folder: String, _ path: String) throws(DeviceError) -> Descriptor {
        try ControlFolder.prepare(folder)
        ControlFolder.sweep(folder)
        // A process that had our number before has left it.
        if ControlFolder.isRefused(path) { unlink(path) }
        let answer = clinux_unix_listen(path, 16)
        guard answer >= 0 else { throw DeviceError(errno: -answer, operation: "bind", device: path) }
        return Descriptor(owning: answer)
    }

    /// Names what to wait for.
    package func prepare(_ wait: inout WaitSet) {
        // Out of descriptors: a listener that stays readable would spin the loop.
        if let pausedUntil { wait.wake(at: pausedUntil) }
        listenerIndex = wait.add(listener.number, pausedUntil == nil ? WaitSet.readable : 0)
        for connection in connections {
            connection.index = wait.add(connection.number, connection.wantedEvents)
            if let deadline = connection.deadline { wait.wake(at: deadline) }
        }
    }

    /// Takes what came after a wait on what ``prepare(_:)`` named: the requests, in their order.
    package func service(_ wait: borrowing WaitSet, now: MonotonicTime) -> [Request] {
        var requests: [Request] = []
        for connection in connections {
            let answers = wait.answers(connection.index)
            if answers != 0 {
                for line in connection.read(now: now) {
                    switch line {
                    case .text(let text): requests.append(Request(client: connection.client, line: text))
                    case .tooLong: connection.answer("error the line is too long\n")
                    }
                }
                connection.flush(now: now)
                // Closed at both ends: what it asked is done, but there is nobody to answer, and it stays readable.
                if answers & WaitSet.hangUp != 0, connection.isAtEnd { connection.isOver = true }
            }
            if let deadline = connection.deadline, deadline <= now { connection.isOver = true }
        }
        connections.removeAll(where: \.isFinished)
        if let paused = pausedUntil, paused <= now { pausedUntil = nil }
        if wait.answers(listenerIndex) & WaitSet.readable != 0 { accept(now: now) }
        return requests
    }

    /// Answers one request; nothing happens if its client is gone. Lines are told as they are, without line ends of their
    /// own.
    package func answer(_ client: Client, lines: [String] = [], error: String? = nil, now: MonotonicTime = .now) {
        guard let connection = connections.first(where: { $0.client == client }) else { return }
        connection.answer(lines.map { oneLine("= \($0)") }.joined() + oneLine(error.map { "error \($0)" } ?? "ok"))
        connection.flush(now: now)
    }

    private func accept(now: MonotonicTime) {
        for _ in 0..<limits.clients {
            let answer = clinux_accept(listener.number)
            if -answer == EMFILE || -answer == ENFILE || -answer == ENOMEM {
                pausedUntil = now + .seconds(1)
                return
            }
            guard answer >= 0 else { return }
            let descriptor = Descriptor(owning: answer)
            var pid: Int32 = 0
            var user: UInt32 = 0
            // The socket's mode says so too; but not every file system keeps it.
            guard clinux_peer(descriptor.number, &pid, &user) == 0, user == geteuid() || user == 0 else { continue }
            if connections.count >= limits.clients,
                let silent = connections.indices.min(by: {
                    connections[$0].lastHeard < connections[$1].lastHeard
                })
            {
                connections.remove(at: silent)
            }
            nextNumber += 1
            connections.append(
                ControlConnection(Client(number: nextNumber), descriptor, limits: limits, now: now))
        }
    }

    deinit {
        unlink(path)
    }
}

/// `text` with its end, and without line ends inside.
func oneLine(_ text: String) -> String {
    String(decoding: text.utf8.map { $0 == 10 || $0 == 13 ? 32 : $0 } + [10], as: UTF8.self)
}
