import Glibc
import Onstage
import OnstageLinux
import Testing

/// The end of a run whose device's thread never returns.
@Suite struct StuckThreadTests {
    private let scratch = CommandScratch()

    /// Freezes the camera's thread by ptrace, as a kernel does that never answers, ends the run, and does what `then` says.
    private static func script(_ then: String) -> String {
        """
        import ctypes, os, select, signal, subprocess, sys
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        pipes = dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        run = subprocess.Popen(sys.argv[1:], **pipes)
        for line in run.stdout:
            if "camera first" in line: break
        tasks = f"/proc/{run.pid}/task"
        tid = next(int(t) for t in os.listdir(tasks) if open(f"{tasks}/{t}/comm").read().strip() == "on-camera")
        if libc.ptrace(0x4206, tid, None, None) or libc.ptrace(0x4207, tid, None, None):
            run.kill()
            print("no ptrace here")
            sys.exit(77)
        os.waitpid(tid, 0x40000000)
        run.send_signal(signal.SIGTERM)
        early = False
        \(then)
        sys.stdout.write(run.stdout.read())
        sys.stderr.write(run.stderr.read())
        sys.exit(run.wait() or (3 if early else 0))
        """
    }

    private func run(_ script: String, _ arguments: [String]) -> OnstageProcess.End {
        OnstageProcess(
            ["-c", script, OnstageProcess.program, "run", "--report", scratch("report")] + arguments, home: scratch,
            program: "python3"
        ).wait()
    }

    @Test(.enabled(if: access("/usr/bin/python3", X_OK) == 0, "needs python3"))
    func theRunEndsAndNamesIt() throws {
        // Its end is told to its tracer first.
        let end = run(Self.script("os.waitpid(tid, 0x40000000)"), ["--synthetic"])
        if end.status == 77 { return }  // a container that forbids ptrace
        #expect(end.status == 1)
        #expect(end.errors.contains("camera of scene main is not released: its thread is stuck"), "\(end.errors)")
        let report = try scratch.json("report")
        let camera = try #require(report["resources"]?.elements.first { $0["id"] == "camera" })
        let receipt = try #require(camera["receipts"]?.elements.last)
        #expect(receipt["released"] == .null && receipt["forced"] == true)
        for other in report["resources"]?.elements ?? [] where other["id"] != "camera" {
            #expect(other["receipts"]?.elements.last?["released"]?.number != nil)
        }
        let left = try #require(report["transitions"]?.elements.last { $0["to"] == "background" }?["at"]?.number)
        let ended = try #require(report["transitions"]?.elements.last?["at"]?.number)
        #expect(ended - left < 5_000)
    }

    /// The same, but the thread goes on before the profile's watchdog is due; until then nothing may be said of it.
    @Test(.enabled(if: access("/usr/bin/python3", X_OK) == 0, "needs python3"))
    func theEndWaitsAsLongAsTheProfileSays() throws {
        let profile = scratch.file(
            "late.json",
            """
            {
              "name": "late", "camera": { "device": "synthetic" }, "playback": { "device": "synthetic" },
              "deadlines": { "releaseMilliseconds": 10000 }
            }
            """)
        let end = run(
            Self.script("early = select.select([run.stderr], [], [], 3)[0]; libc.ptrace(0x11, tid, None, None)"),
            ["--profile", profile])
        if end.status == 77 { return }  // a container that forbids ptrace
        #expect(end.status == 0)
        #expect(end.errors == "")
        let report = try scratch.json("report")
        let camera = try #require(report["resources"]?.elements.first { $0["id"] == "camera" })
        let receipt = try #require(camera["receipts"]?.elements.last)
        let (asked, released) = (try #require(receipt["asked"]?.number), try #require(receipt["released"]?.number))
        #expect(released - asked >= 3_000 && receipt["forced"] == false)
    }
}
