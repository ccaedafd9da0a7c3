import Glibc
import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstageLinux

@Suite struct TextFileTests {
    @Test("What is only come across is never waited for: a pipe in a folder of profiles is no file")
    func aPipeIsRefusedAtOnce() throws {
        let scratch = Scratch(name: "onstage-t")
        try #require(mkfifo(scratch("pipe"), 0o600) == 0)
        let error = #expect(throws: DeviceError.self) { try TextFile.bytes(scratch("pipe")) }
        #expect(error?.kind == .configuration && error?.reason == "it is not a regular file")
        #expect(try TextFile.bytes(scratch.file("text", "abc")) == Array("abc".utf8))
    }

    @Test("A folder is no text, waiting or not", arguments: [false, true])
    func aFolder(waits: Bool) {
        #expect(throws: DeviceError.self) { try TextFile.bytes("/", waits: waits) }
    }

    @Test("What ends at once is empty, where one waits")
    func aDevice() throws {
        #expect(try TextFile.bytes("/dev/null", waits: true) == [])
    }
}
