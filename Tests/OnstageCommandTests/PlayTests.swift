import Glibc
import Onstage
import OnstageCore
import OnstageLinux
import Testing

@testable import OnstageCommand

/// `onstage play` with the synthetic sink, from outside.
@Suite(.serialized) struct PlayTests {
    private let scratch = CommandScratch()

    private func start(_ arguments: String..., file: String = PlayedRamp.path, recording: String = "heard.wav")
        -> OnstageProcess
    {
        OnstageProcess(
            ["play", "--device", "synthetic", "--recording", scratch(recording), file] + arguments, home: scratch)
    }

    /// Whether nothing was amiss; on a busy machine a sound may run out, which is mended and said.
    private func isQuiet(_ end: OnstageProcess.End) -> Bool {
        end.errors.split(separator: "\n").allSatisfy { $0.contains("it ran out of sound") }
    }

    /// The numbers of the frames that were heard, over all pauses; silence left out.
    private func heard(_ recording: String = "heard.wav") throws -> [Int] {
        try PlayedRamp.heard(scratch(recording))
    }

    /// "paused at 0:01.0, frame 8395, …"
    private func frame(_ line: String?) throws -> Int {
        let words = try #require(line).split(separator: " ")
        let place = try #require(words.firstIndex(of: "frame"))
        return try #require(Int(words[place + 1].dropLast(while: { $0 == "," })))
    }

    @Test func playsToTheEndAndThatIsHeard() throws {
        let end = start("--from", "3").wait()
        #expect(end.status == 0 && isQuiet(end), "\(end.errors)")
        #expect(try heard().elementsEqual(24_000..<40_000))
    }

    @Test func pausesAndGoesOnAtTheNextFrameBySignals() throws {
        let play = start()
        play.line("on synthetic sound")
        var last = 0
        for _ in 0..<5 {
            play.send(SIGUSR1)
            let frame = try frame(play.line("paused at"))
            #expect(frame >= last)
            last = frame
            play.send(SIGUSR2)
            play.line("on synthetic sound")
        }
        play.send(SIGTERM)
        let frame = try frame(play.line("paused at"))
        let end = play.wait()
        #expect(end.status == 0 && isQuiet(end), "\(end.errors)")
        #expect(frame > last)
        #expect(try heard().elementsEqual(0..<frame))
    }

    @Test func withoutResumeItBeginsAtItsFirstFrameAndWithItBehindTheLastOneHeard() throws {
        func some(_ recording: String, _ arguments: String...) throws -> Int {
            let play = OnstageProcess(
                ["play", "--device", "synthetic", "--recording", scratch(recording), PlayedRamp.path] + arguments,
                home: scratch)
            play.line("on synthetic sound")
            play.send(SIGINT)
            let frame = try frame(play.line("paused at"))
            #expect(play.wait().status == 0)
            return frame
        }
        let first = try some("first.wav", "--from", "2")
        #expect(try heard("first.wav").elementsEqual(16_000..<first))
        let plain = try some("plain.wav")
        #expect(try heard("plain.wav").elementsEqual(0..<plain))
        let other = try some("other.wav", "--from", "4", "--key", "another")
        let again = try some("again.wav", "--resume")
        #expect(try heard("again.wav").elementsEqual(plain..<again))
        let rest = start("--resume", "--key", "another", recording: "rest.wav").wait()
        #expect(rest.status == 0)
        #expect(try heard("rest.wav").elementsEqual(other..<40_000))
        // It was heard to its end: the next time begins at 0.
        _ = try some("anew.wav", "--resume", "--key", "another")
        #expect(try heard("anew.wav").first == 0)
    }

    @Test(
        arguments: [
            (["/nonexistent.wav"], 1, "/nonexistent.wav is not there"), (["/etc/passwd"], 1, "/etc/passwd"),
            (["/tmp"], 1, "/tmp"), ([], 2, "FILE"), ([PlayedRamp.path, "--from", "6"], 1, "it ends at 0:05.0"),
            ([PlayedRamp.path, "--volume", "2"], 2, "--volume 2"),
        ] as [([String], Int32, String)])
    func refused(_ arguments: [String], _ status: Int32, _ words: String) {
        let end = OnstageProcess.run(["play", "--device", "synthetic"] + arguments, home: scratch)
        #expect(end.status == status)
        #expect(end.errors.contains(words), "\(end.errors)")
        #expect(end.lines == [])
    }

    @Test func withoutTheDeviceItSaysSoAndEnds() {
        let end = OnstageProcess.run(["play", PlayedRamp.path, "--device", "hw:CARD=Nobody"], home: scratch)
        #expect(end.status == 1)
        #expect(end.errors.contains("Nobody"), "\(end.errors)")
    }

    @Test func filesOneAfterTheOtherAndWhatCannotBePlayedIsPassedOver() throws {
        let short = PlayedRamp.resource("w81_very_short_100_frames.wav")
        let end = OnstageProcess.run(
            ["play", "--device", "synthetic", "--recording", scratch("r.wav"), short, "/nonexistent", short, "--json"],
            home: scratch)
        #expect(end.status == 1)
        #expect(end.errors.contains("/nonexistent is not there"))
        let events = try end.lines.map { try JSONReader.read(Array($0.utf8)) }
        #expect(events.compactMap { $0["event"]?.string == "media" ? $0["number"]?.number : nil } == [1, 3])
        #expect(events.count { $0["event"]?.string == "ended" } == 2)
        #expect(events.count { $0["event"]?.string == "error" } == 1)
        #expect(events.last?["status"] == 1)
    }

    /// One object a line: what happened, in order, each with its time.
    @Test func eventsForPrograms() throws {
        let play = start("--json", "--tick", "0.05")
        play.line(#""state": "playing""#)
        for _ in 0..<3 { play.line(#""event": "position""#) }
        play.send(SIGUSR1)
        play.line(#""event": "stored""#)
        play.send(SIGUSR2)
        play.line(#""state": "playing""#)
        play.send(SIGINT)
        let end = play.wait()
        #expect(end.status == 0)
        let events = try end.lines.map { try JSONReader.read(Array($0.utf8)) }
        let times = events.compactMap { $0["at"]?.number }
        #expect(times.count == events.count && times == times.sorted())
        let media = try #require(events.first { $0["event"]?.string == "media" })
        #expect(media["rate"] == 8000 && media["channels"] == 2 && media["format"] == "S16_LE")
        #expect(media["frames"] == 40_000 && media["seekable"] == true && media["name"] == .text(PlayedRamp.path))
        let acquired = try #require(events.first { $0["event"]?.string == "acquired" })
        #expect(acquired["device"] == "synthetic sound" && acquired["format"]?["rate"] == 8000)
        let receipts = events.filter { $0["event"]?.string == "released" && $0["position"] != .null }
        #expect(receipts.count == 2)
        for receipt in receipts {
            #expect(receipt["mode"] == "exact" && receipt["off"] == 0 && receipt["forced"] == false)
            let asked = try #require(receipt["asked"]?.number)
            #expect(try #require(receipt["released"]?.number) >= asked)
        }
        let stored = events.filter { $0["event"]?.string == "stored" }.compactMap { $0["position"]?.number }
        #expect(stored.last == receipts.last?["position"]?.number)
        #expect(events.last == events.last { $0["event"]?.string == "end" } && events.last?["status"] == 0)
        #expect(try heard().count == receipts.last?["position"]?.number.map { Int($0) })
    }

    // MARK: Standard input

    /// Frames of the ramp, from one number up to another.
    private func samples(_ numbers: Range<Int>) -> [UInt8] {
        numbers.flatMap { number -> [UInt8] in
            let left = number ^ 0x8000
            let right = left + 4096
            return [left, left >> 8, right, right >> 8].map { UInt8(truncatingIfNeeded: $0) }
        }
    }

    private func startPipe(_ arguments: String...) -> OnstageProcess {
        OnstageProcess(
            [
                "play", "-", "--rate", "8000", "--channels", "2", "--format", "s16", "--device", "synthetic",
                "--recording", scratch("heard.wav"),
            ] + arguments, home: scratch)
    }

    @Test func aPipeIsPlayedToItsEnd() throws {
        let play = startPipe()
        // In pieces that are no frames.
        let bytes = samples(0..<9_000)
        for start in stride(from: 0, to: bytes.count, by: 1_001) {
            play.give(Array(bytes[start..<min(bytes.count, start + 1_001)]))
        }
        play.closeInput()
        let end = play.wait()
        #expect(end.status == 0 && isQuiet(end), "\(end.errors)")
        #expect(try heard().elementsEqual(0..<9_000))
    }

    /// Nothing comes: silence, said once, and a pause is as quick as ever. What was read and not heard is kept.
    @Test func aPipeThatStandsHoldsUpNothingAndLosesNothing() throws {
        let play = startPipe("--json")
        play.give(samples(0..<4_000))
        play.line(#""state": "playing""#)
        play.line(#""state": "buffering""#)
        play.line("nothing comes from standard input")
        play.send(SIGUSR1)
        #expect(try #require(play.line(#""event": "released""#)).contains(#""position": 4000"#))
        play.give(samples(4_000..<8_000))
        play.send(SIGUSR2)
        play.line(#""state": "playing""#)
        play.send(SIGUSR1)
        play.line(#""event": "released""#)
        play.send(SIGUSR2)
        play.line(#""state": "playing""#)
        play.give(samples(8_000..<9_000))
        play.closeInput()
        let end = play.wait()
        #expect(end.status == 0, "\(end.errors)")
        #expect(try heard().elementsEqual(0..<9_000))
        let events = try end.lines.map { try JSONReader.read(Array($0.utf8)) }
        for receipt in events where receipt["event"]?.string == "released" {
            guard let asked = receipt["asked"]?.number, let released = receipt["released"]?.number else { continue }
            if getenv("ONSTAGE_SANITIZER") == nil { #expect(released - asked < 150) }
        }
        #expect(events.count { $0["text"]?.string?.contains("nothing comes") ?? false } == 1)
        #expect(events.first { $0["event"]?.string == "media" }?["frames"] == .null)
    }

    /// The pause of a stop may come behind the last frame of what plays: then the next begins when the process goes on.
    @Test func aStopAtTheEndOfAFileHoldsUpNoOther() throws {
        for _ in 0..<5 {
            let short = PlayedRamp.resource("w81_very_short_100_frames.wav")
            let play = start("--json", short, file: short)
            play.line(#""state": "playing""#)
            play.send(SIGTSTP)
            try play.awaitStop()
            play.send(SIGCONT)
            let end = play.wait()
            #expect(end.status == 0, "\(end.errors)")
            #expect(end.lines.count { $0.contains(#""event": "ended""#) } == 2)
        }
    }

    @Test func anEmptyPipeHasEnded() {
        let play = startPipe()
        play.closeInput()
        #expect(play.wait().status == 0)
    }

    @Test func infoIsExact() {
        let good = OnstageProcess.run(["play", "--info", "--json", PlayedRamp.path], home: scratch)
        #expect(good.status == 0 && good.errors == "")
        #expect(good.lines == [#"{"rate":8000,"channels":2,"format":"S16_LE","frames":40000}"#])
        let both = OnstageProcess.run(
            ["play", "--info", PlayedRamp.path, PlayedRamp.resource("w57_empty.wav")], home: scratch)
        #expect(both.status == 1 && both.errors.contains("the file is empty"))
        #expect(both.lines.count == 1 && both.lines[0].contains("8000 Hz, stereo, S16_LE, 40000 frames, 0:05.0"))
    }
}

extension Substring {
    fileprivate func dropLast(while predicate: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, predicate(last) { rest.removeLast() }
        return rest
    }
}
