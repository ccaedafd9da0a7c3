import Glibc
import Onstage
import OnstageLinux
import Testing

@testable import OnstageCommand

/// `onstage play` as a person has it.
@Suite(.serialized) struct PlayTerminalTests {
    private let scratch = CommandScratch()

    private func start(_ arguments: String..., files: [String] = [PlayedRamp.path], columns: UInt16 = 80)
        -> TerminalProcess
    {
        TerminalProcess(
            ["play", "--device", "synthetic", "--recording", scratch("heard.wav")] + files + arguments, home: scratch,
            columns: columns)
    }

    /// A link to the ramp under another name.
    private func link(_ name: String) -> String {
        symlink(PlayedRamp.path, scratch(name))
        return scratch(name)
    }

    @Test func keysPausePlayOnAndEnd() throws {
        let play = start("--loop")
        play.see("playing ")
        #expect(play.isRaw)
        play.see("] 0:05.0 loop w80_position_ramp")
        for _ in 0..<3 {
            play.type(" ")
            play.see("paused ")
            play.type(" ")
            play.see("playing ")
        }
        play.type("q")
        #expect(play.wait() == 0)
        #expect(!play.isRaw)
        // Every frame once and in order, over all pauses and rounds.
        let frames = try PlayedRamp.heard(scratch("heard.wav"))
        #expect(frames.count > 100)
        #expect(frames.enumerated().allSatisfy { $0.element == $0.offset % 40_000 })
    }

    @Test func arrowsSeekAndChangeTheVolume() throws {
        let play = start("--from", "2")
        play.see("playing ")
        play.type("\u{1B}[B")
        play.see("95 %")
        play.type("\u{1B}OB\u{1B}[B")
        play.see("85 %")
        play.type("\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[A")
        play.see("playing ")
        // 5 s back from somewhere behind 2 s: the beginning.
        play.type("\u{1B}[D")
        play.see("playing 0:00.")
        play.type("\u{1B}[C")
        play.see("ended")
        #expect(play.wait() == 0)
        #expect(!play.isRaw)
    }

    @Test func filesOneAfterTheOther() throws {
        let play = start(files: ["a", "b", "c"].map(link))
        play.see("(1/3) a")
        play.type("n")
        play.see("(2/3) b")
        play.type("n")
        play.see("(3/3) c")
        play.type("p")
        play.see("(2/3) b")
        play.type("p")
        play.see("(1/3) a")
        // Before the first there is none: it begins again. What is paused stays so.
        play.type("p")
        play.see("playing ")
        play.type(" ")
        play.see("paused ")
        play.type("n")
        play.type("n")
        play.type(" ")
        play.see("(3/3) c")
        play.type("n")
        #expect(play.wait() == 0)
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
    func aSignalEndsItWithTheTerminalPutBack(_ number: Int32) {
        let play = start()
        play.see("playing ")
        #expect(play.isRaw)
        kill(play.pid, number)
        #expect(play.wait() == 0)
        #expect(!play.isRaw)
    }

    /// What nobody plans for.
    @Test(
        .enabled(if: getenv("ONSTAGE_SANITIZER") == nil, "a sanitizer takes faults itself"),
        arguments: [SIGQUIT, SIGSEGV, SIGABRT, SIGILL])
    func aFaultEndsItWithTheTerminalPutBack(_ number: Int32) {
        let play = start()
        play.see("playing ")
        #expect(play.isRaw)
        kill(play.pid, number)
        #expect(play.wait() == 128 + number)
        #expect(!play.isRaw)
    }

    /// And on a device's thread.
    @Test(.enabled(if: getenv("ONSTAGE_SANITIZER") == nil, "a sanitizer takes faults itself"))
    func aFaultOfADevicesThreadAsWell() throws {
        let play = start()
        play.see("playing ")
        let thread = try #require(
            Folder.names(in: "/proc/\(play.pid)/task").first {
                (try? TextFile.bytes("/proc/\(play.pid)/task/\($0)/comm")) == Array("on-playback\n".utf8)
            })
        typealias Kill = @convention(c) (Int32, Int32, Int32) -> Int32
        let symbol = try #require(dlsym(nil, "tgkill"))
        // tgkill of the C library, of just this type.
        #expect(unsafeBitCast(symbol, to: Kill.self)(play.pid, try #require(Int32(thread)), SIGSEGV) == 0)
        #expect(play.wait() == 128 + SIGSEGV)
        #expect(!play.isRaw)
    }

    /// Ctrl-S: the terminal takes nothing more. Keys and signals are heeded all the same.
    @Test(arguments: [SIGTERM, nil]) func aTerminalThatIsHeldHoldsUpNothing(_ number: Int32?) {
        let play = start("--loop")
        play.see("playing ")
        play.hold()
        // The line would be written anew ten times a second.
        play.type("  ")
        if let number { kill(play.pid, number) } else { play.type("q") }
        #expect(play.wait() == 0)
        #expect(!play.isRaw)
    }

    @Test func aNarrowTerminalIsNotWrapped() {
        let play = start(columns: 24)
        play.see("playing ")
        play.type("q")
        #expect(play.wait() == 0)
        for line in play.screen.split(separator: "\r") where line.contains("playing") {
            #expect(line.drop { $0 != "K" }.dropFirst().count <= 23, "\(line)")
        }
    }

    /// What a file's name may do to a terminal: nothing.
    @Test func aNameIsNoCommandToTheTerminal() {
        let play = start(files: [link("x\u{1B}[2Jy\nz")])
        play.see("x?[2Jy?z")
        play.type("q")
        #expect(play.wait() == 0)
        #expect(!play.screen.contains("\u{1B}[2J"))
    }
}
