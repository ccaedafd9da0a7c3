import CLinux
import Glibc
import Onstage
import OnstageCore
import OnstageLinux
import Testing

/// The program `onstage` as a child of the test, in surroundings of its own.
final class OnstageProcess {
    /// What it came to.
    struct End {
        /// The exit status; 128 + N after signal N, as the shell says it.
        var status: Int32
        /// All lines of standard output.
        var lines: [String]
        var errors: String
    }

    let pid: Int32
    private let input: Int32
    private let output: Int32
    private let errorPath: String
    private var buffer = LineBuffer(limit: 1 << 20)
    private var isAtEnd = false
    private var isInputOpen = true
    private var end: End?
    private(set) var lines: [String] = []

    /// So long may anything take that a test waits for; a slow machine is no failure.
    static let patience = Duration.seconds(30)

    /// Until it is stopped, as by Ctrl-Z.
    func awaitStop() throws {
        let limit = ContinuousClock.now + Self.patience
        while true {
            // "PID (NAME) STATE …"
            let state = try #require(SmallFile.text("/proc/\(pid)/stat")).split(separator: ")").last?.first {
                $0 != " "
            }
            if state == "T" { return }
            try #require(state != "Z" && ContinuousClock.now < limit, "it does not stop")
            sched_yield()
        }
    }

    /// The program that was built with this test.
    static let program: String = {
        // The test bundle is mapped by whatever program runs the tests.
        let bundle = ProcessFacts.mappings().first { $0.hasSuffix("PackageTests.xctest") } ?? ""
        return bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/onstage"
    }()

    /// - Parameters:
    ///   - home: a scratch folder; its state, profiles and sockets are there.
    ///   - environment: beside or instead of the usual.
    init(
        _ arguments: [String], home: CommandScratch, environment: [String: String] = [:], program: String? = nil
    ) {
        var towards: [Int32] = [-1, -1]
        var back: [Int32] = [-1, -1]
        precondition(clinux_pipe(&towards, 0) == 0 && clinux_pipe(&back, 0) == 0)
        errorPath = home.unique("stderr")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, towards[0], 0)
        posix_spawn_file_actions_adddup2(&actions, back[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var set = sigset_t()
        sigemptyset(&set)
        posix_spawnattr_setsigmask(&attributes, &set)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var surroundings = Child.surroundings([
            "HOME": home.path, "XDG_RUNTIME_DIR": home.path, "XDG_STATE_HOME": home("state"),
            "PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin",
        ])
        // Under a sanitizer a thread comes to its turn ten times as late: a release that is not forced is what is tried.
        // (What runs another program has ours for its first argument.)
        if getenv("ONSTAGE_SANITIZER") != nil, arguments.first(where: { $0 != Self.program }) == "run" {
            _ = home.file(
                ".config/onstage/profiles/generic.json",
                #"""
                {"name":"generic","camera":{"device":"any"},"accelerometer":{"device":"any"},
                "gyroscope":{"device":"any"},"playback":{"device":"default"},"deadlines":{"releaseMilliseconds":10000}}
                """#)
        }
        surroundings.merge(environment) { $1 }
        let program = program ?? Self.program
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var values = surroundings.map { strdup("\($0.key)=\($0.value)") } + [nil]
        var pid: pid_t = 0
        let answer = posix_spawnp(&pid, program, &actions, &attributes, &words, &values)
        precondition(answer == 0, "posix_spawn \(program): \(answer)")
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
        for word in words + values { free(word) }
        _ = clinux_close(towards[0])
        _ = clinux_close(back[1])
        self.pid = pid
        input = towards[1]
        output = back[0]
    }

    /// Writes a line to its standard input.
    func tell(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        #expect(clinux_write(input, bytes, bytes.count) == bytes.count)
    }

    /// Writes bytes to its standard input; waits for whoever reads them.
    func give(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { clinux_write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func closeInput() {
        if isInputOpen { _ = clinux_close(input) }
        isInputOpen = false
    }

    func send(_ signal: Int32) {
        #expect(kill(pid, signal) == 0)
    }

    /// The next line that ends with `text`, and has not been awaited before; nil when it ends without.
    @discardableResult
    func line(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> String? {
        while let line = next() {
            if line.hasSuffix(text) || line.contains(text) { return line }
        }
        Issue.record(
            "\"\(text)\" did not come; there was\n\(lines.joined(separator: "\n"))\n\(errors)",
            sourceLocation: sourceLocation)
        return nil
    }

    private var expected: Set<String> = []

    /// Lines that are to come, in any order; awaited by ``awaitExpected(sourceLocation:)``.
    func expect(_ text: String) {
        expected.insert(text)
    }

    func awaitExpected(sourceLocation: SourceLocation = #_sourceLocation) {
        while !expected.isEmpty, let line = next() { expected = expected.filter { !line.contains($0) } }
        if !expected.isEmpty {
            Issue.record(
                "\(expected) did not come; there was\n\(lines.joined(separator: "\n"))\n\(errors)",
                sourceLocation: sourceLocation)
            expected = []
        }
    }

    private func next() -> String? {
        let deadline = MonotonicTime.now + Self.patience
        while true {
            if case .text(let text)? = buffer.next() {
                lines.append(text)
                return text
            }
            if isAtEnd { return nil }
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let rest = (deadline - .now).wholeNanoseconds
            guard rest > 0, clinux_poll(&entry, 1, rest) > 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = clinux_read(output, &bytes, bytes.count)
            if count > 0 {
                bytes[..<count].withUnsafeBytes { buffer.append($0) }
            } else {
                isAtEnd = true
                if case .text(let text)? = buffer.finish() {
                    lines.append(text)
                    return text
                }
            }
        }
    }

    /// What it has written to standard error so far.
    var errors: String {
        (try? TextFile.bytes(errorPath)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Awaits its end.
    @discardableResult
    func wait(sourceLocation: SourceLocation = #_sourceLocation) -> End {
        if let end { return end }
        while next() != nil {}
        if !isAtEnd {
            Issue.record("it does not end", sourceLocation: sourceLocation)
            kill(pid, SIGKILL)
        }
        let made = End(status: Child.reap(pid), lines: lines, errors: errors)
        end = made
        return made
    }

    /// Runs it to its end.
    static func run(
        _ arguments: [String], home: CommandScratch = CommandScratch(), environment: [String: String] = [:]
    ) -> End {
        let process = OnstageProcess(arguments, home: home, environment: environment)
        process.closeInput()
        return process.wait()
    }

    deinit {
        closeInput()
        if end == nil {
            kill(pid, SIGKILL)
            Child.reap(pid)
        }
        _ = clinux_close(output)
    }
}
