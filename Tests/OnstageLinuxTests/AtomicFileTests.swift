import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@Suite("Files that are whole or not there")
struct AtomicFileTests {
    private let scratch = Scratch()

    @Test("A file is made, replaced and replaced through a link, and nothing is left beside it")
    func replaced() throws {
        let path = scratch("report.json")
        try AtomicFile.write(path, "one")
        #expect(SmallFile.text(path) == "one")
        symlink(path, scratch("link"))
        try AtomicFile.write(scratch("link"), "two")
        #expect(SmallFile.text(path) == "two")
        #expect(Folder.names(in: scratch.path) == ["link", "report.json"])
        let long = String(repeating: "0123456789", count: 100_000)
        try AtomicFile.write(path, long)
        #expect(SmallFile.text(path, limit: 2_000_000) == long)
    }

    @Test("A FIFO that nobody reads is refused, and not waited for", .timeLimit(.minutes(1)))
    func fifo() throws {
        let path = scratch("fifo")
        try #require(mkfifo(path, 0o600) == 0)
        #expect(throws: DeviceError.self) { try AtomicFile.write(path, "nobody") }
        let reader = try Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        try AtomicFile.write(path, "somebody")
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(clinux_read(reader.number, &bytes, 16) == 8)
        reader.close()
    }

    @Test("A reader never sees a part")
    func whole() throws {
        let path = scratch.file("report", "old")
        let reader = try Descriptor(opening: path, flags: O_RDONLY)
        try AtomicFile.write(path, "new")
        #expect(SmallFile.text("/proc/self/fd/\(reader.number)") == nil || SmallFile.text(path) == "new")
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(clinux_read(reader.number, &bytes, 8) == 3 && bytes[..<3].elementsEqual("old".utf8))
        reader.close()
    }

    @Test("A full disk leaves the old file and nothing beside it", .enabled(if: geteuid() == 0, "needs a mount"))
    func full() throws {
        let folder = scratch("small")
        mkdir(folder, 0o700)
        try #require(mount("tmpfs", folder, "tmpfs", 0, "size=64k") == 0)
        defer { umount2(folder, 2) }
        let path = scratch("small/report")
        try AtomicFile.write(path, "old")
        let error = #expect(throws: DeviceError.self) {
            try AtomicFile.write(path, String(repeating: "x", count: 200_000))
        }
        #expect(error?.errno == ENOSPC && error?.operation == "write" && error?.device == path)
        #expect(SmallFile.text(path) == "old")
        #expect(Folder.names(in: folder) == ["report"])
    }

    @Test("No folder, no right: a clear error")
    func errors() {
        let absent = #expect(throws: DeviceError.self) { try AtomicFile.write(scratch("no/report"), "x") }
        #expect(absent?.kind == .absent && absent?.device == scratch("no/report"))
        let folder = #expect(throws: DeviceError.self) { try AtomicFile.write(scratch.path, "x") }
        #expect(folder?.errno != nil)
        #expect(Folder.names(in: scratch.path).isEmpty)
    }

    @Test("A pipe is written to, not replaced")
    func pipe() throws {
        let path = scratch("fifo")
        mkfifo(path, 0o600)
        let reader = try Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        try AtomicFile.write(path, "x")
        var byte: UInt8 = 0
        #expect(clinux_read(reader.number, &byte, 1) == 1)
        reader.close()
        #expect(Folder.names(in: scratch.path) == ["fifo"])
    }
}
