import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport

/// A program of its own, told by lines and heard by lines.
final class LineProgram {
    let pid: pid_t
    private let input: Int32
    private let output: Int32
    private var rest: [UInt8] = []

    /// - Parameter errors: where its standard error goes; nil for where ours goes.
    init(_ words: [String], environment: [String] = [], errors: String? = nil) throws {
        var towards: [Int32] = [-1, -1]
        var back: [Int32] = [-1, -1]
        guard clinux_pipe(&towards, 0) == 0, clinux_pipe(&back, 0) == 0 else {
            throw DeviceError(.tooMany, operation: "pipe", device: words[0])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, towards[0], 0)
        posix_spawn_file_actions_adddup2(&actions, back[1], 1)
        if let errors { posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600) }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            (environment + ["PATH=/usr/bin:/bin", "HOME=/nonexistent"]).map { strdup($0) } + [nil]
        defer { for word in arguments + variables { free(word) } }
        var child: pid_t = 0
        let answer = posix_spawnp(&child, words[0], &actions, nil, &arguments, &variables)
        _ = clinux_close(towards[0])
        _ = clinux_close(back[1])
        (pid, input, output) = (child, towards[1], back[0])
        guard answer == 0 else { throw DeviceError(errno: answer, operation: "posix_spawnp", device: words[0]) }
    }

    /// The next line of its standard output; nil at its end, or when none comes for long.
    func line() -> String? {
        let limit = MonotonicTime.now + .seconds(30)
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard clinux_poll(&entry, 1, max(0, (limit - .now).wholeNanoseconds)) != 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = clinux_read(output, &bytes, bytes.count)
            guard count > 0 else { return nil }
            rest += bytes[..<count]
        }
    }

    func tell(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        _ = clinux_write(input, bytes, bytes.count)
    }

    func end() {
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    deinit {
        end()
        _ = clinux_close(input)
        _ = clinux_close(output)
    }
}

/// A session of a test's own: its bus, and a card that is a lock on a file.
final class CardSession {
    static let isPossible =
        access("/usr/bin/dbus-daemon", X_OK) == 0 && Shell.run("/usr/bin/python3 -c 'import dbus, gi'").status == 0

    let scratch = Scratch()
    let address: String
    let lock: String
    private let daemon: LineProgram

    init() throws {
        address = "unix:path=\(scratch("bus"))"
        lock = scratch.file("card")
        daemon = try LineProgram(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)", "--print-address=1"],
            errors: scratch("bus-errors"))
        guard daemon.line() != nil else { throw DeviceError(.absent, operation: "", device: "dbus-daemon") }
    }

    /// A program that has the card, or asks for it.
    func holder(_ words: String...) throws -> LineProgram {
        let script = #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/kernel/card_holder.py"
        let holder = try LineProgram(
            ["/usr/bin/python3", "/\(script)", "7", "--lock", lock] + words, environment: ["CARD_BUS=\(address)"])
        let first = holder.line()
        guard first == "has locked" || first == "ready" else {
            throw DeviceError(.absent, operation: first ?? "nothing", device: "card_holder.py")
        }
        return holder
    }

    /// Its bus hears nobody any more.
    func stopBus() { kill(daemon.pid, SIGSTOP) }

    /// Its bus ends.
    func endBus() { daemon.end() }
}
