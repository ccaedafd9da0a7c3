import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@Suite("Signals, systemd and the log")
struct ServiceTests {
    private let scratch = Scratch()

    @Test("Signals are read, each once, and kill nobody")
    func signals() throws {
        let signals = try SignalDescriptor([SIGUSR1, SIGURG])
        #expect(signals.drain().isEmpty)
        // To this very thread: the others of the test process have not blocked them.
        for signal in [SIGURG, SIGUSR1, SIGURG] { pthread_kill(pthread_self(), signal) }
        awaitReadable(signals.descriptor)
        #expect(Set(signals.drain()) == [SIGUSR1, SIGURG])
        #expect(signals.drain().isEmpty)
        #expect(throws: DeviceError.self) { _ = try SignalDescriptor([9999]) }
    }

    /// A datagram socket bound to `path`, as systemd has one.
    private func listener(_ path: String) -> Int32 {
        var address = sockaddr_un()
        var length: socklen_t = 0
        #expect(clinux_unix_address(path, &address, &length) == 0)
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let answer = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, length) }
        }
        #expect(answer == 0)
        return number
    }

    private func datagram(_ number: Int32) -> String {
        awaitReadable(number)
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = clinux_read(number, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test("systemd hears READY, STOPPING and STATUS, by path and by abstract name")
    func notify() {
        for path in [scratch("notify"), "@onstage-test-\(getpid())"] {
            let number = listener(path)
            #expect(ServiceNotify.ready.send(to: path) == nil)
            #expect(datagram(number) == "READY=1")
            #expect(ServiceNotify.status("a\nREADY=0").send(to: path) == nil)
            #expect(datagram(number) == "STATUS=a READY=0")
            #expect(ServiceNotify.stopping.send(to: path) == nil)
            #expect(datagram(number) == "STOPPING=1")
            _ = clinux_close(number)
        }
        let long = "/" + String(repeating: "x", count: 200)
        for path in [scratch("nobody"), "relative", "@nobody-\(getpid())", long] {
            #expect(ServiceNotify.ready.send(to: path)?.contains(path) == true)
        }
    }

    @Test("Lines bear the level's name; under journald its number, on each line")
    func log() async throws {
        func lines(_ descriptor: Int32) -> String? { SmallFile.text("/proc/self/fd/\(descriptor)") }
        let plain = try Descriptor(opening: scratch("log"), flags: O_RDWR | O_CREAT)
        let log = StandardErrorLog(program: "onstage", level: .info, descriptor: plain.number)
        log.write(.error, "no camera\nat all")
        log.write(.notice, "active")
        log.write(.debug, "left out")
        log.handler(.warning, "slow")
        let expected = "onstage: error: no camera\nonstage: error: at all\nonstage: active\nonstage: warning: slow\n"
        #expect(lines(plain.number) == expected)
        plain.close()
        await #expect(processExitsWith: .success) {
            let scratch = Scratch()
            let number = clinux_open(scratch("log"), O_RDWR | O_CREAT)
            var facts = stat()
            fstat(number, &facts)
            setenv("JOURNAL_STREAM", "\(facts.st_dev):\(facts.st_ino)", 1)
            StandardErrorLog(program: "onstage", descriptor: number).write(.error, "no camera\nat all")
            precondition(SmallFile.text("/proc/self/fd/\(number)") == "<3>no camera\n<3>at all\n")
        }
    }
}
