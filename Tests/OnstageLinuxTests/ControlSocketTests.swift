import CLinux
import Glibc
import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstageLinux

@Suite("The control socket")
struct ControlSocketTests {
    private let scratch = Scratch(in: "/dev/shm")
    private var folder: String { scratch("onstage") }

    /// One turn of the server's loop: a wait until something is there, and what came of it.
    @discardableResult
    private func turn(_ socket: ControlSocket, at now: MonotonicTime = .now) -> [ControlSocket.Request] {
        var wait = WaitSet()
        socket.prepare(&wait)
        wait.entries.withUnsafeMutableBufferPointer { entries in
            _ = entries.withMemoryRebound(to: pollfd.self) { clinux_poll($0.baseAddress, UInt($0.count), 0) }
        }
        return socket.service(wait, now: now)
    }

    private func put(_ text: String, _ descriptor: Int32) {
        let bytes = Array(text.utf8)
        #expect(clinux_send(descriptor, bytes, bytes.count) == bytes.count)
    }

    /// What is there to be read: nil when the far end has closed.
    private func get(_ descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = clinux_read(descriptor, &bytes, bytes.count)
        return count == -Int(EAGAIN) ? "" : count <= 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// The far end closes; it may take a moment, while a child of another test that has not reached its exec shares it.
    private func expectEnd(_ descriptor: Int32) {
        awaitReadable(descriptor)
        #expect(get(descriptor) == nil)
    }

    private func connect(_ socket: ControlSocket) -> Int32 {
        let client = clinux_unix_connect(socket.path)
        #expect(client >= 0)
        turn(socket)
        return client
    }

    @Test("Requests come whole and in order, answers go back, on one connection")
    func requests() throws {
        let socket = try ControlSocket(folders: [folder])
        let client = connect(socket)
        put("pla", client)
        #expect(turn(socket).isEmpty)
        put("y\nseek 7\n", client)
        let requests = turn(socket)
        #expect(requests.map(\.line) == ["play", "seek 7"])
        socket.answer(requests[0].client, lines: ["a", "b\nc"])
        socket.answer(requests[1].client, error: "no\nmedia")
        #expect(get(client) == "= a\n= b c\nok\nerror no media\n")
        _ = clinux_close(client)
        turn(socket)
        socket.answer(requests[0].client)
        #expect(turn(socket).isEmpty)
    }

    @Test("What was asked right before hanging up is done; a half-closed client still gets its answer, however late")
    func hangUp() throws {
        let socket = try ControlSocket(folders: [folder])
        let hasty = connect(socket)
        put("pause\n", hasty)
        _ = clinux_close(hasty)
        #expect(turn(socket).map(\.line) == ["pause"])
        let half = connect(socket)
        put("list\n", half)
        shutdown(half, Int32(SHUT_WR))
        var requests: [ControlSocket.Request] = []
        for _ in 0..<5 { requests += turn(socket) }
        #expect(requests.count == 1)
        socket.answer(try #require(requests.first).client, lines: ["x"])
        #expect(get(half) == "= x\nok\n")
        turn(socket)
        expectEnd(half)
        #expect(ProcessFacts.descriptors().filter { $0.number == half }.count == 1)
        _ = clinux_close(half)
    }

    @Test("A client that stalls in the middle of a line, or does not read, is dropped; a silent one is not")
    func stalls() throws {
        let socket = try ControlSocket(folders: [folder])
        let (silent, partial, deaf) = (connect(socket), connect(socket), connect(socket))
        put("pla", partial)
        put("list\n", deaf)
        let start = MonotonicTime.now
        let request = try #require(turn(socket, at: start).first)
        var small: Int32 = 1
        setsockopt(deaf, SOL_SOCKET, SO_RCVBUF, &small, 4)
        socket.answer(
            request.client, lines: Array(repeating: String(repeating: "x", count: 1000), count: 250), now: start)
        turn(socket, at: start + .seconds(4))
        #expect(get(partial) == "")
        var wait = WaitSet()
        socket.prepare(&wait)
        #expect(wait.deadline == start + .seconds(5))
        turn(socket, at: start + .seconds(6))
        expectEnd(partial)
        while let text = get(deaf), !text.isEmpty {}
        expectEnd(deaf)
        put("play\n", silent)
        #expect(turn(socket, at: start + .seconds(600)).map(\.line) == ["play"])
        for client in [silent, partial, deaf] { _ = clinux_close(client) }
    }

    @Test(
        "Limits: a long line is refused, an answer that nobody reads is not kept, one client too many drops the oldest")
    func limits() throws {
        var limits = ControlSocket.Limits()
        limits.clients = 2
        limits.line = 10
        limits.pending = 100_000
        let socket = try ControlSocket(folders: [folder], limits: limits)
        let (first, second) = (connect(socket), connect(socket))
        put("12345678901\nplay\n", first)
        #expect(turn(socket).map(\.line) == ["play"])
        #expect(get(first) == "error the line is too long\n")
        let third = connect(socket)
        expectEnd(second)
        put("list\n", third)
        let request = try #require(turn(socket).first)
        for _ in 0..<10 { socket.answer(request.client, lines: [String(repeating: "x", count: 99_000)]) }
        turn(socket)
        while let text = get(third), !text.isEmpty {}
        expectEnd(third)
        for client in [first, second, third] { _ = clinux_close(client) }
    }

    @Test(
        "The folder is made for its owner alone; a link, a foreign or an open folder is refused, and the next one taken"
    )
    func folders() throws {
        symlink(scratch.path, scratch("link"))
        mkdir(scratch("open"), 0o700)
        chmod(scratch("open"), 0o777)
        scratch.file("file")
        let bad = ["none/onstage", "link", "open", "file"].map { scratch($0) }
        let socket = try ControlSocket(folders: bad + [folder])
        #expect(socket.path == "\(folder)/\(getpid()).sock")
        var file = clinux_file()
        #expect(clinux_look(AT_FDCWD, folder, &file) == 0 && file.mode & 0o7777 == 0o700)
        #expect(clinux_look(AT_FDCWD, socket.path, &file) == 0 && file.mode & 0o7777 == 0o600)
        let error = #expect(throws: DeviceError.self) { _ = try ControlSocket(folders: bad) }
        for path in bad { #expect(error?.reason?.contains(path) == true, "\(error?.reason ?? "")") }
        #expect(ControlFolder.candidates(runtime: "relative", user: 7) == ["/run/onstage", "/tmp/onstage-7"])
        #expect(ControlFolder.candidates(runtime: "/r", user: 7).first == "/r/onstage")
    }

    @Test("Sockets of the dead are taken away, those of the living are not; ours goes with us")
    func stale() throws {
        mkdir(folder, 0o700)
        let dead = Child("echo")
        let alive = Child("echo; read line")
        dead.kill()
        for pid in [dead.pid, alive.pid, getpid()] {
            let number = clinux_unix_listen("\(folder)/\(pid).sock", 1)
            #expect(number >= 0)
            _ = clinux_close(number)
        }
        scratch.file("onstage/7.sock.txt")
        var socket: ControlSocket? = try ControlSocket(folders: [folder])
        #expect(Folder.names(in: folder) == ["\(alive.pid).sock", "\(getpid()).sock", "7.sock.txt"].sorted())
        #expect(ControlClient.list(folders: [folder]).map(\.pid).contains(getpid()))
        #expect(!ControlClient.list(folders: [folder]).map(\.pid).contains(alive.pid), "nobody listens there")
        #expect(socket != nil)
        socket = nil
        #expect(Folder.names(in: folder) == ["\(alive.pid).sock", "7.sock.txt"].sorted())
    }

    @Test("The command's side: an answer, a refusal, a program that is silent, one that ends")
    func client() throws {
        let ready = clinux_eventfd()
        let folder = folder
        try PosixThread.start("server") {
            guard let socket = try? ControlSocket(folders: [folder]) else { return }
            clinux_eventfd_add(ready)
            var wait = WaitSet()
            while true {
                wait.removeAll()
                socket.prepare(&wait)
                wait.entries.withUnsafeMutableBufferPointer { entries in
                    _ = entries.withMemoryRebound(to: pollfd.self) { clinux_poll($0.baseAddress, UInt($0.count), -1) }
                }
                for request in socket.service(wait, now: .now) {
                    switch request.line {
                    case "end": return
                    case "silent": break
                    case "many": socket.answer(request.client, lines: (0..<5000).map { "line \($0)" })
                    default: socket.answer(request.client, error: "no such wish: \(request.line)")
                    }
                }
            }
        }
        awaitReadable(ready)
        let path = "\(folder)/\(getpid()).sock"
        var client = try ControlClient(path)
        let many = try client.request("many")
        #expect(many == (0..<5000).map { "line \($0)" })
        do {
            _ = try client.request("dance\nend")
            Issue.record("a refusal must throw")
        } catch {
            #expect(error.reason == "no such wish: dance end")
        }
        do {
            _ = try client.request("silent", limit: .milliseconds(20))
            Issue.record("silence must throw")
        } catch {
            #expect(error.kind == .stalled)
        }
        do {
            _ = try client.request("end")
            Issue.record("the end must throw")
        } catch {
            #expect(error.kind == .absent)
        }
        #expect(throws: DeviceError.self) { _ = try ControlClient(path) }
    }

    @Test("Another user is not let in", .enabled(if: geteuid() == 0, "needs setuid"))
    func otherUser() async {
        await #expect(processExitsWith: .success) {
            let scratch = Scratch(in: "/dev/shm")
            chmod(scratch.path, 0o755)
            let socket = try ControlSocket(folders: [scratch("onstage")])
            // As if every permission of the files were lost: the far end is still known.
            chmod(scratch("onstage"), 0o777)
            chmod(socket.path, 0o777)
            let child = Child(
                """
                exec python3 -c 'import os, socket, sys
                os.setuid(65534)
                s = socket.socket(socket.AF_UNIX)
                s.connect(sys.argv[1])
                print(flush=True)
                sys.stdin.readline()
                print(s.recv(9), flush=True)' $1
                """, socket.path)
            var wait = WaitSet()
            socket.prepare(&wait)
            wait.entries[0].answers = WaitSet.readable
            precondition(socket.service(wait, now: .now).isEmpty)
            child.tell("read")
            precondition(child.line() == "b''")
        }
    }
}
