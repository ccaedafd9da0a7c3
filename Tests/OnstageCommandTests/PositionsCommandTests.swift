import Glibc
import Onstage
import OnstageCore
import OnstageLinux
import Testing

@testable import OnstageCommand

/// `onstage positions`, from outside.
@Suite(.serialized) struct PositionsCommandTests {
    private let scratch = CommandScratch()

    private func run(_ arguments: String...) -> OnstageProcess.End {
        OnstageProcess.run(["positions"] + arguments + ["--state", scratch("s")], home: scratch)
    }

    /// Plays some of it, and answers the frame at which it was left.
    private func play(_ arguments: String...) throws -> Int {
        let play = OnstageProcess(
            ["play", "--device", "synthetic", "--state", scratch("s"), "--json"] + arguments, home: scratch)
        play.line(#""state": "playing""#)
        play.send(SIGINT)
        let line = try #require(play.line(#""event": "stored""#))
        #expect(play.wait().status == 0)
        let event = try JSONReader.read(Array(line.utf8))
        return Int(try #require(event["position"]?.number))
    }

    private func listed() throws -> [JSONValue] {
        let end = run("--json")
        #expect(end.status == 0 && end.errors == "")
        let document = try JSONReader.read(Array(end.lines.joined(separator: "\n").utf8))
        #expect(document["version"] == 1 && document["directory"] == .text(scratch("s")))
        return try #require(document["positions"]).elements
    }

    @Test func nothingAtFirst() throws {
        #expect(try listed() == [])
        let end = run()
        #expect(end.status == 0 && end.lines == ["nothing is kept in \(scratch("s"))"])
        #expect(access(scratch("s"), F_OK) != 0, "looking makes no store")
        let show = run("show", PlayedRamp.path)
        #expect(show.status == 1 && show.errors.contains("nothing is kept of"))
    }

    @Test func listShowClear() throws {
        let first = try play(PlayedRamp.path)
        let second = try play(PlayedRamp.path, "--key", "audio book", "--from", "2")
        let all = try listed()
        #expect(all.map { $0["kind"]?.string } == ["key", "file"], "the newest first")
        #expect(all[0]["media"] == "audio book" && all[0]["position"]?.number == Double(second))
        #expect(all[1]["media"] == .text(PlayedRamp.path) && all[1]["position"]?.number == Double(first))
        for entry in all {
            #expect(entry["scene"] == "play" && entry["rate"] == 8000 && entry["frames"] == 40_000)
            #expect(entry["current"] == true && entry["doubt"] == .null)
            #expect(try #require(entry["kept"]?.string).hasPrefix("20"))
        }
        let table = run()
        #expect(table.lines.count == 3 && table.lines[0].hasPrefix("    AT"), "\(table.lines)")
        #expect(table.lines[1].contains("0:05.0") && table.lines[1].hasSuffix("play   key audio book"))
        #expect(table.lines[2].hasSuffix(PlayedRamp.path))
        // By any path that leads to it.
        symlink(PlayedRamp.path, scratch("link.wav"))
        let show = run("show", scratch("link.wav"))
        #expect(show.status == 0 && show.lines.count == 2 && show.lines[1] == table.lines[2])
        #expect(run("clear", scratch("link.wav"), "nothing", "audio book").status == 1)
        #expect(try listed() == [])
        // What is cleared begins at 0.
        #expect(try play(PlayedRamp.path, "--resume") < first + 40_000)
        #expect(run("clear", "--all").status == 0)
        #expect(try listed() == [])
    }

    @Test func aFileThatIsAnotherOneNowIsMarked() throws {
        let path = scratch("sound.wav")
        let bytes = try TextFile.bytes(PlayedRamp.path)
        func write(_ bytes: [UInt8]) throws {
            let file = try #require(fopen(path, "w"))
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
        }
        try write(bytes)
        _ = try play(path)
        try write(bytes + [0, 0])
        #expect(try listed().map { $0["current"] } == [false])
        unlink(path)
        let table = run()
        #expect(table.lines.last?.hasSuffix("sound.wav (gone, or another file now)") == true)
        // By the path that it had.
        #expect(run("clear", path).status == 0)
        #expect(try listed() == [])
    }

    @Test func whileItPlays() throws {
        let play = OnstageProcess(
            ["play", "--device", "synthetic", "--state", scratch("s"), "--json", "--loop", PlayedRamp.path],
            home: scratch)
        play.line(#""state": "playing""#)
        play.send(SIGUSR1)
        play.line(#""event": "stored""#)
        play.send(SIGUSR2)
        play.line(#""state": "playing""#)
        #expect(try listed().count == 1)
        #expect(run("clear", "--all").status == 0)
        play.send(SIGINT)
        play.line(#""event": "stored""#)
        #expect(play.wait().status == 0)
        #expect(try listed().count == 1)
    }

    @Test func aBrokenStoreIsAnError() throws {
        _ = scratch.file("s/positions.sqlite", String(repeating: "no database at all, ", count: 1000))
        for words in [["list"], ["show", "x"], ["clear", "x"], ["clear", "--all"]] {
            let end = OnstageProcess.run(["positions"] + words + ["--state", scratch("s")], home: scratch)
            #expect(end.status == 1 && end.lines == [])
            #expect(end.errors.contains("positions.sqlite") && end.errors.contains("broken"), "\(end.errors)")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may write anywhere")) func aStoreThatCannotBeWrittenCanBeRead() throws {
        _ = try play(PlayedRamp.path)
        chmod(scratch("s/positions.sqlite"), 0o400)
        chmod(scratch("s"), 0o500)
        defer { chmod(scratch("s"), 0o700) }
        #expect(try listed().count == 1)
        let clear = run("clear", "--all")
        #expect(clear.status == 1 && clear.errors.contains("writable"), "\(clear.errors)")
    }

    @Test(
        arguments: [
            (["dance"], "dance"), (["list", "x"], "\"x\""), (["show"], "one FILE"), (["show", "a", "b"], "one FILE"),
            (["clear"], "which FILE"), (["clear", "x", "--all"], "which?"), (["--all"], "--all goes with clear"),
            (["clear", "--all", "--json"], "--json"), (["--nonsense"], "--nonsense"),
        ] as [([String], String)])
    func refused(_ arguments: [String], _ words: String) {
        let end = OnstageProcess.run(["positions"] + arguments, home: scratch)
        #expect(end.status == 2 && end.errors.contains(words), "\(end.errors)")
    }
}
