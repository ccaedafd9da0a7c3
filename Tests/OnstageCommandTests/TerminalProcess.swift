import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import Testing

/// The program `onstage` as a person has it: on a terminal of its own, of which the test holds the far side.
final class TerminalProcess {
    let pid: Int32
    let far: Int32
    private let near: String
    /// Bytes: a character may come in two pieces.
    private var shown: [UInt8] = []
    private var searched = 0
    private var status: Int32?

    init(_ arguments: [String], home: CommandScratch, columns: UInt16 = 80) {
        far = clinux_open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var unlocked: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN
        precondition(clinux_ioctl(far, 0x4004_5431, &unlocked) == 0 && clinux_ioctl(far, 0x8004_5430, &number) == 0)
        near = "/dev/pts/\(number)"
        var size = winsize(ws_row: 25, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        precondition(clinux_ioctl(far, UInt(TIOCSWINSZ), &size) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        // The first terminal that the leader of a session opens is its controlling one.
        posix_spawn_file_actions_addopen(&actions, 0, near, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var set = sigset_t()
        sigemptyset(&set)
        posix_spawnattr_setsigmask(&attributes, &set)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | 0x80)  // POSIX_SPAWN_SETSID
        let surroundings = Child.surroundings([
            "HOME": home.path, "XDG_STATE_HOME": home("state"), "TERM": "xterm", "SWIFT_BACKTRACE": "enable=no",
            "PATH": "/usr/bin:/bin",
        ])
        var words = ([OnstageProcess.program] + arguments).map { strdup($0) } + [nil]
        var values = surroundings.map { strdup("\($0.key)=\($0.value)") } + [nil]
        var pid: pid_t = 0
        let answer = posix_spawn(&pid, OnstageProcess.program, &actions, &attributes, &words, &values)
        precondition(answer == 0, "posix_spawn: \(answer)")
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
        for word in words + values { free(word) }
        self.pid = pid
    }

    /// Presses keys.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(clinux_write(far, bytes, bytes.count) == bytes.count)
    }

    /// Holds the terminal, as Ctrl-S does: it takes no output any more.
    func hold() {
        let descriptor = clinux_open(near, O_RDWR | O_NOCTTY)
        #expect(tcflow(descriptor, TCOOFF) == 0)
        _ = clinux_close(descriptor)
    }

    /// Awaits that `text` is shown, behind what was awaited before.
    @discardableResult
    func see(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
        let deadline = MonotonicTime.now + OnstageProcess.patience
        while true {
            if let found = shown[searched...].firstRange(of: Array(text.utf8)) {
                searched = found.upperBound
                return true
            }
            guard read(until: deadline) else { break }
        }
        Issue.record("\"\(text)\" was not shown; there was\n\(screen)", sourceLocation: sourceLocation)
        return false
    }

    /// Whether more has come.
    private func read(until deadline: MonotonicTime) -> Bool {
        var entry = pollfd(fd: far, events: Int16(POLLIN), revents: 0)
        let rest = (deadline - .now).wholeNanoseconds
        guard rest > 0, clinux_poll(&entry, 1, rest) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = clinux_read(far, &bytes, bytes.count)
        guard count > 0 else { return false }
        shown += bytes[..<count]
        return true
    }

    /// Everything that was shown so far.
    var screen: String { String(decoding: shown, as: UTF8.self) }

    /// Whether keys come one by one and without echo.
    var isRaw: Bool { Terminal.isRaw(far) }

    /// Awaits its end; 128 + N after signal N.
    @discardableResult
    func wait(sourceLocation: SourceLocation = #_sourceLocation) -> Int32 {
        if let status { return status }
        // Read to the end, so that it is not kept from it by a full terminal.
        let deadline = MonotonicTime.now + OnstageProcess.patience
        while read(until: deadline) {}
        if MonotonicTime.now >= deadline {
            Issue.record("it does not end; there was\n\(screen)", sourceLocation: sourceLocation)
            kill(pid, SIGKILL)
        }
        let code = Child.reap(pid)
        status = code
        return code
    }

    deinit {
        if status == nil {
            kill(pid, SIGKILL)
            Child.reap(pid)
        }
        _ = clinux_close(far)
    }
}
