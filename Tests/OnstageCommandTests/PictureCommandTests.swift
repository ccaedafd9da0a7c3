import Glibc
import Onstage
import OnstageCore
import OnstageLinux
import Testing

@testable import OnstageCommand

/// `onstage snapshot` and `onstage record` with the synthetic camera, from outside.
@Suite(.serialized) struct PictureCommandTests {
    private let scratch = CommandScratch()

    private func onstage(_ arguments: String...) -> OnstageProcess.End { OnstageProcess.run(arguments, home: scratch) }

    private func bytes(_ name: String) throws -> [UInt8] { try TextFile.bytes(scratch(name), limit: 1 << 26) }

    @Test("a snapshot is a picture of the size that the camera has, turned as it is told")
    func snapshot() throws {
        var run = onstage("snapshot", "-D", "synthetic", "--size", "320x240", "--skip", "2", "--json", scratch("a.jpg"))
        #expect(run.status == 0, "\(run)")
        let json = try JSONReader.read(Array((run.lines.first ?? "").utf8))
        #expect(json["width"] == .integer(320) && json["height"] == .integer(240) && json["sequence"] == .integer(2))
        let jpeg = try bytes("a.jpg")
        #expect(jpeg.prefix(2) == [0xff, 0xd8] && jpeg.suffix(2) == [0xff, 0xd9])
        run = onstage("snapshot", "-D", "synthetic", "--size", "320x240", "--rotate", "90", scratch("b.png"))
        #expect(run.status == 0, "\(run)")
        // The header of a PNG: width and height behind "IHDR".
        #expect(try bytes("b.png")[16..<24].elementsEqual([0, 0, 0, 240, 0, 0, 1, 64]))
    }

    @Test("what cannot be written, or makes no sense, is said; nothing is left")
    func refused() throws {
        for words in [
            ["a.gif"], [], ["a.jpg", "b.jpg"], ["-q", "0", "a.jpg"], ["-q", "3", "a.png"], ["--rotate", "1", "a.jpg"],
        ] {
            #expect(OnstageProcess.run(["snapshot"] + words, home: scratch).status == 2, "\(words)")
        }
        for words in [["a.avi"], [], ["-d", "0", "a.y4m"], ["-n", "x", "a.y4m"]] {
            #expect(OnstageProcess.run(["record"] + words, home: scratch).status == 2, "\(words)")
        }
        let run = onstage("snapshot", "-D", "synthetic", scratch("no/such/folder.jpg"))
        #expect(run.status == 1 && run.errors.contains("folder.jpg"))
        let absent = onstage("snapshot", "-D", "/dev/no-such-camera", scratch("c.jpg"))
        #expect(absent.status == 1 && absent.errors.contains("is not there"))
        #expect(access(scratch("c.jpg"), F_OK) != 0)
        let waited = onstage("snapshot", "-D", "/dev/no-such-camera", "--wait", "0.3", scratch("c.jpg"))
        #expect(waited.status == 1 && waited.errors.contains("is not there"))
    }

    @Test("raw video: a header, and whole frames whose numbers go on by one")
    func y4m() throws {
        let run = onstage(
            "record", "-D", "synthetic", "--size", "320x240", "--fps", "50", "--frames", "10", "--json",
            scratch("a.y4m"))
        #expect(run.status == 0, "\(run)")
        let json = try JSONReader.read(Array((run.lines.first ?? "").utf8))
        #expect(json["frames"] == .integer(10))
        let file = try bytes("a.y4m")
        let end = try #require(file.firstIndex(of: 0x0a))
        let header = String(decoding: file[..<end], as: UTF8.self)
        #expect(header == "YUV4MPEG2 W320 H240 F50000:1000 Ip A1:1 C422 XCOLORRANGE=LIMITED")
        let frame = 6 + 320 * 240 * 2
        #expect(file.count == end + 1 + 10 * frame)
        var last: UInt32?
        for index in 0..<10 {
            let start = end + 1 + index * frame
            #expect(String(decoding: file[start..<start + 6], as: UTF8.self) == "FRAME\n")
            // The number of the frame, 32 fields of black and white in its first row.
            var number: UInt32 = 0
            for bit in 0..<32 where file[start + 6 + bit * 10 + 5] > 128 { number |= 1 << UInt32(31 - bit) }
            if let last { #expect(number > last) }
            last = number
        }
    }

    @Test("pictures one behind the other, turned; it ends with a signal")
    func mjpeg() throws {
        let process = OnstageProcess(
            ["record", "-D", "synthetic", "--size", "320x240", "--mirror", scratch("a.mjpeg")], home: scratch)
        let limit = MonotonicTime.now + OnstageProcess.patience
        func size() -> Int {
            var facts = stat()
            return stat(scratch("a.mjpeg"), &facts) == 0 ? Int(facts.st_size) : 0
        }
        while size() < 10_000, MonotonicTime.now < limit { sched_yield() }
        process.send(SIGINT)
        let run = process.wait()
        #expect(run.status == 0, "\(run)")
        let file = try bytes("a.mjpeg")
        var pictures = 0
        for at in 0..<file.count - 2 where file[at] == 0xff && file[at + 1] == 0xd8 && file[at + 2] == 0xff {
            pictures += 1
        }
        #expect(pictures > 0 && file.suffix(2) == [0xff, 0xd9])
    }

    @Test("a full disk ends it with an error")
    func fullDisk() throws {
        #expect(symlink("/dev/full", scratch("full.y4m")) == 0)
        let run = onstage("record", "-D", "synthetic", "--size", "320x240", scratch("full.y4m"))
        #expect(run.status == 1 && run.errors.contains("disk is full"), "\(run)")
    }
}
