import Glibc
import OnstageLinux
import Testing

@testable import OnstageCommand

/// A scenario that another program writes while `onstage run` waits for it.
@Suite(.serialized) struct ScenarioPipeTests {
    private let scratch = CommandScratch()

    private func run(_ pipe: String) -> OnstageProcess {
        OnstageProcess(["run", "--synthetic", "--scenario", pipe], home: scratch)
    }

    private func pipe() throws -> String {
        let path = scratch("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        return path
    }

    /// Opens the pipe for writing when `run` waits for that, asleep.
    private func writer(_ pipe: String, _ run: OnstageProcess) throws -> Int32 {
        let limit = ContinuousClock.now + OnstageProcess.patience
        func waits() -> Bool {
            ProcessFacts.descriptors(pid: run.pid).contains { $0.target == pipe }
                && SmallFile.line("/proc/\(run.pid)/stat")?.contains(") S ") == true
        }
        while !waits() {
            try #require(ContinuousClock.now < limit, "it does not wait for a writer")
            sched_yield()
        }
        let file = open(pipe, O_WRONLY | O_NONBLOCK)
        try #require(file >= 0)
        return file
    }

    /// Writes and returns when it has been read.
    private func write(_ text: String, _ file: Int32) {
        #expect(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
        var left: Int32 = 1
        while left > 0, ioctl(file, UInt(FIONREAD), &left) == 0 { sched_yield() }
    }

    @Test func itIsReadToTheEndThatItsWriterMakes() throws {
        let pipe = try pipe()
        let run = run(pipe)
        let file = try writer(pipe, run)
        write("0 active\n", file)
        write("0.2 inac", file)
        write("tive\n0.3 end\n", file)
        close(file)
        let end = run.wait()
        #expect(end.status == 0)
        #expect(end.lines.contains { $0.hasSuffix("main active -> inactive") }, "\(end.lines)")
    }

    @Test func aBadLineOfItIsRefused() throws {
        let pipe = try pipe()
        let run = run(pipe)
        let file = try writer(pipe, run)
        write("0 wake-up\n", file)
        close(file)
        let end = run.wait()
        #expect(end.status == 2)
        #expect(end.errors.contains("\(pipe):1: \"wake-up\""))
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aSignalEndsTheWait(_ signal: Int32) throws {
        let pipe = try pipe()
        let run = run(pipe)
        let file = try writer(pipe, run)
        defer { close(file) }
        write("0 active\n", file)
        run.send(signal)
        #expect(run.wait().status == 128 + signal)
        #expect(run.lines.isEmpty)
    }
}
