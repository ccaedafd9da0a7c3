import Glibc
import Onstage
import OnstageCore
import OnstageLinux
import Testing

@testable import OnstageCommand

/// `onstage play` with the synthetic sink, from outside.
@Suite(.serialized) struct PlayTests {
    private let scratch = CommandScratch()

    /// A WAV of 5 s at 8 kHz whose frames are numbered from 0: the left sample is the number − 32,768, the right one is
    /// never 0 with it.
    private static let ramp = resource("w80_position_ramp_8k_5s.wav")

    private static func resource(_ name: String) -> String {
        let tests = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        return tests.joined(separator: "/") + "/OnstagePlaybackTests/Resources/" + name
    }

    private func start(_ arguments: String..., file: String = ramp, recording: String = "heard.wav") -> OnstageProcess {
        OnstageProcess(
            ["play", "--device", "synthetic", "--recording", scratch(recording), file] + arguments, home: scratch)
    }

    /// Whether nothing was amiss; on a busy machine a sound may run out, which is mended and said.
    private func isQuiet(_ end: OnstageProcess.End) -> Bool {
        end.errors.split(separator: "\n").allSatisfy { $0.contains("it ran out of sound") }
    }

    /// The numbers of the frames that were heard, over all pauses; silence left out.
    private func heard(_ recording: String = "heard.wav") throws -> [Int] {
        let bytes = try TextFile.bytes(scratch(recording), limit: 1 << 24)
        return stride(from: 44, to: bytes.count - 3, by: 4).compactMap { at in
            guard bytes[at..<at + 4].contains(where: { $0 != 0 }) else { return nil }
            return (Int(bytes[at]) | Int(bytes[at + 1]) << 8) ^ 0x8000
        }
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
                ["play", "--device", "synthetic", "--recording", scratch(recording), Self.ramp] + arguments,
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
            (["/tmp"], 1, "/tmp"), ([], 2, "FILE"), ([ramp, "--from", "6"], 1, "it ends at 0:05.0"),
            ([ramp, "--volume", "2"], 2, "--volume 2"),
        ] as [([String], Int32, String)])
    func refused(_ arguments: [String], _ status: Int32, _ words: String) {
        let end = OnstageProcess.run(["play", "--device", "synthetic"] + arguments, home: scratch)
        #expect(end.status == status)
        #expect(end.errors.contains(words), "\(end.errors)")
        #expect(end.lines == [])
    }

    @Test func withoutTheDeviceItSaysSoAndEnds() {
        let end = OnstageProcess.run(["play", Self.ramp, "--device", "hw:CARD=Nobody"], home: scratch)
        #expect(end.status == 1)
        #expect(end.errors.contains("Nobody"), "\(end.errors)")
    }

    @Test func infoIsExact() {
        let good = OnstageProcess.run(["play", "--info", "--json", Self.ramp], home: scratch)
        #expect(good.status == 0 && good.errors == "")
        #expect(good.lines == [#"{"rate":8000,"channels":2,"format":"S16_LE","frames":40000}"#])
        let both = OnstageProcess.run(["play", "--info", Self.ramp, Self.resource("w57_empty.wav")], home: scratch)
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
