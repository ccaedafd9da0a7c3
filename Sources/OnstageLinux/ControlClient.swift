internal import CLinux
internal import Glibc
package import OnstageCore

/// The other end of a ``ControlSocket``: what `onstage ctl` asks with.
package struct ControlClient: ~Copyable {
    /// A program that listens.
    package struct Server: Hashable, Sendable {
        package var pid: Int32
        package var path: String
        package var program: String?
    }

    private let descriptor: Descriptor
    private let path: String
    private var input = LineBuffer(limit: 1 << 16)

    /// The programs that listen now, by process ID: this user's, and for root all.
    package static func list(folders: [String]? = nil) -> [Server] {
        var folders = folders ?? ControlFolder.candidates()
        if geteuid() == 0 {
            folders += Folder.names(in: "/run/user").map { "/run/user/\($0)/onstage" }
            folders += Folder.names(in: "/tmp").filter { $0.hasPrefix("onstage-") }.map { "/tmp/\($0)" }
        }
        var servers: [Server] = []
        for folder in folders {
            for name in Folder.names(in: folder) {
                let path = "\(folder)/\(name)"
                guard let pid = ControlFolder.pid(of: name), !servers.contains(where: { $0.path == path }),
                    (try? ControlClient(path)) != nil  // dead, or not ours
                else { continue }
                servers.append(Server(pid: pid, path: path, program: DeviceHolders.program(of: pid)))
            }
        }
        return servers.sorted { ($0.pid, $0.path) < ($1.pid, $1.path) }
    }

    /// Connects to the socket at `path`.
    /// - Throws: `absent` when nobody listens, `permission` when it is not this user's, `policy` when somebody else than
    ///   this user or root serves it. *C: `connect`.*
    package init(_ path: String) throws(DeviceError) {
        let answer = clinux_unix_connect(path)
        guard answer >= 0 else {
            let kind: DeviceError.Kind = -answer == ECONNREFUSED ? .absent : .init(errno: -answer)
            throw DeviceError(kind, operation: "connect", device: path, errno: -answer)
        }
        let descriptor = Descriptor(owning: answer)
        var pid: Int32 = 0
        var user: UInt32 = 0
        guard clinux_peer(descriptor.number, &pid, &user) == 0, user == geteuid() || user == 0 || geteuid() == 0 else {
            throw DeviceError(.policy, operation: "connect", device: path, reason: "it is served by user \(user)")
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// Sends one line and waits for its whole answer, for `limit` at most.
    /// - Returns: The answer's lines.
    /// - Throws: `configuration` with the program's own words when it refuses; `stalled` when no answer came in time;
    ///   `absent` when it ended meanwhile. *C: `send`, `poll`, `read`.*
    package mutating func request(_ line: String, limit: Duration = .seconds(5)) throws(DeviceError) -> [String] {
        let deadline = MonotonicTime.now + limit
        let bytes = Array(oneLine(line).utf8)
        var sent = 0
        while sent < bytes.count {
            let answer = bytes[sent...].withUnsafeBytes { clinux_send(descriptor.number, $0.baseAddress, $0.count) }
            if answer == -Int(EAGAIN) {
                try expect(Int16(POLLOUT), until: deadline)
            } else if answer < 0 {
                throw failure(Int32(-answer), "send")
            } else {
                sent += answer
            }
        }
        var lines: [String] = []
        while true {
            while let line = input.next() {
                guard case .text(let text) = line else { throw failure(EPROTO, "read") }
                if text == "ok" { return lines }
                if text.hasPrefix("error ") {
                    throw DeviceError(.configuration, operation: "", device: path, reason: String(text.dropFirst(6)))
                }
                lines.append(text.hasPrefix("= ") ? String(text.dropFirst(2)) : text)
            }
            try expect(Int16(POLLIN), until: deadline)
            let answer = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { bytes in
                let count = clinux_read(descriptor.number, bytes.baseAddress, bytes.count)
                if count > 0 { input.append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
                return count
            }
            if answer == 0 { throw DeviceError(.absent, operation: "read", device: path, reason: "it has ended") }
            if answer < 0, answer != -Int(EAGAIN) { throw failure(Int32(-answer), "read") }
        }
    }

    private func expect(_ events: Int16, until deadline: MonotonicTime) throws(DeviceError) {
        var entry = pollfd(fd: descriptor.number, events: events, revents: 0)
        let rest = max(0, (deadline - .now).wholeNanoseconds)
        let answer = clinux_poll(&entry, 1, rest)
        if answer < 0 { throw failure(-answer, "poll") }
        if answer == 0, deadline <= .now { throw failure(ETIMEDOUT, "poll") }
    }

    private func failure(_ errno: Int32, _ operation: String) -> DeviceError {
        let kind: DeviceError.Kind = errno == EPIPE || errno == ECONNRESET ? .absent : .init(errno: errno)
        return DeviceError(kind, operation: operation, device: path, errno: errno)
    }
}
