import CLinux
import Glibc
import Onstage
import OnstageLinux
import Testing

@testable import OnstageCommand

/// `onstage ctl`, systemd, and what is written where.
@Suite(.serialized) struct ControlTests {
    private let scratch = CommandScratch()

    private func ctl(_ arguments: String...) -> OnstageProcess.End {
        OnstageProcess.run(["ctl"] + arguments, home: scratch)
    }

    @Test func wishesAndStatus() throws {
        let run = OnstageProcess(["run", "--synthetic"], home: scratch)
        // By its number: runs of other tests may be found too.
        func ctl(_ arguments: String...) -> OnstageProcess.End {
            OnstageProcess.run(["ctl", "--pid", "\(run.pid)"] + arguments, home: scratch)
        }
        run.line("playback first")
        #expect(ctl("inactive").lines == ["main inactive"])
        #expect(ctl("background").lines == ["main background"])
        #expect(ctl("active").lines == ["main active"])
        run.line("playback first")
        #expect(ctl("pause").status == 0)
        run.line("playback released")
        #expect(ctl("seek", "4711").status == 0)
        let status = try JSONReader.read(Array(ctl("status", "--json").lines.joined().utf8))
        let playback = try #require(status["scenes"]?.elements.first?["resources"]?.elements.last)
        #expect(playback["position"] == 4711)
        #expect(playback["pauseReasons"]?.elements == ["user"])
        #expect(ctl("status").lines.first == "main active")
        let refused = ctl("interrupt-ended", "resume")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("interrupt"), "\(refused.errors)")
        #expect(ctl("dance").status == 2)
        #expect(ctl("status", "now").status == 2)
        #expect(ctl("end").lines == ["ending"])
        #expect(run.wait().status == 0)
        let gone = ctl("active")
        #expect(gone.status == 1)
        #expect(gone.errors.contains("onstage run"))
    }

    @Test func twoRunsAreListed() {
        let runs = (0..<2).map { _ in OnstageProcess(["run", "--synthetic"], home: scratch) }
        for run in runs { run.line("camera first") }
        let several = ctl("inactive")
        #expect(several.status == 2)
        for run in runs { #expect(several.errors.contains("--pid \(run.pid)")) }
        #expect(ctl("--pid", "\(runs[1].pid)", "end").status == 0)
        #expect(runs[1].wait().status == 0)
        #expect(ctl("--pid", "\(runs[0].pid)", "end").status == 0)
        #expect(runs[0].wait().status == 0)
    }

    @Test func systemdIsTold() throws {
        let path = scratch("notify")
        var address = sockaddr_un()
        var length: socklen_t = 0
        try #require(clinux_unix_address(path, &address, &length) == 0)
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { _ = clinux_close(number) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, length) }
        }
        try #require(bound == 0)
        func datagram() -> String {
            var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            guard clinux_poll(&entry, 1, OnstageProcess.patience.components.seconds * 1_000_000_000) > 0 else {
                return ""
            }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = clinux_read(number, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
        let run = OnstageProcess(["run", "--synthetic"], home: scratch, environment: ["NOTIFY_SOCKET": path])
        #expect(datagram() == "READY=1")
        run.send(SIGTERM)
        #expect(datagram() == "STOPPING=1")
        #expect(run.wait().status == 0)
    }

    /// A user whose three places all belong to somebody else.
    @Test(.enabled(if: geteuid() == 0, "needs root, to become somebody else"))
    func noPlaceForTheSocketIsOneWarning() {
        let user = 61_000 + getpid() % 4000
        let place = "/tmp/onstage-\(user)"
        mkdir(place, 0o755)
        defer { rmdir(place) }
        let run = OnstageProcess(
            [
                "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", OnstageProcess.program, "run",
                "--synthetic",
            ],
            home: scratch, environment: ["XDG_RUNTIME_DIR": "/nonexistent"], program: "setpriv")
        run.line("camera first")
        run.tell("end")
        let end = run.wait()
        #expect(end.status == 0)
        #expect(end.errors.split(separator: "\n").count == 1, "\(end.errors)")
        #expect(end.errors.contains("onstage ctl"))
    }
}
