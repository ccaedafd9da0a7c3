import Glibc
import Onstage
import OnstageCore
import Testing

@testable import OnstageCommand

/// `onstage run --synthetic`, from outside.
@Suite(.serialized) struct RunTests {
    private let scratch = CommandScratch()

    private func start(_ arguments: String..., environment: [String: String] = [:]) -> OnstageProcess {
        OnstageProcess(
            ["run", "--synthetic", "--report", scratch("report")] + arguments, home: scratch, environment: environment)
    }

    private func resource(_ id: String, scene: String = "main") throws -> JSONValue {
        let all = try #require(try scratch.json("report")["resources"]).elements
        return try #require(all.first { $0["id"]?.string == id && $0["scene"]?.string == scene })
    }

    @Test func anEndRightBehindTheFirstWishWaitsForNoLimit() throws {
        let scenario = scratch.file("s", "0 active\n0 end\n")
        let begun = ContinuousClock.now
        let end = start("--scenario", scenario).wait()
        // The limit of waiting for devices is 2.3 s; giving them back takes a tenth of that.
        if getenv("ONSTAGE_SANITIZER") == nil { #expect(ContinuousClock.now - begun < .seconds(2)) }
        #expect(end.status == 0)
        for id in ["camera", "accelerometer", "gyroscope", "playback"] {
            let entry = try resource(id)
            #expect(try #require(entry["receipts"]).elements.count == 1)
            #expect(try #require(entry["acquisitions"]).elements.count == 1)
        }
    }

    @Test func fiveActivations() throws {
        let run = start()
        for turn in 1...5 {
            for id in ["camera", "accelerometer", "gyroscope", "playback"] { run.expect("main \(id) first") }
            run.awaitExpected()
            guard turn < 5 else { break }
            run.tell(turn % 2 == 0 ? "background" : "inactive")
            for id in ["camera", "accelerometer", "gyroscope", "playback"] { run.expect("main \(id) released") }
            run.awaitExpected()
            run.tell("active")
        }
        run.tell("end")
        let end = run.wait()
        #expect(end.status == 0)
        #expect(end.errors == "")
        let report = try scratch.json("report")
        #expect(report.names == ["version", "profile", "exit", "transitions", "resources", "playback"])
        #expect(report["version"] == 1)
        #expect(report["exit"] == 0)
        for id in ["camera", "accelerometer", "gyroscope", "playback"] {
            let entry = try resource(id)
            #expect(entry["synthetic"] == true)
            let acquisitions = try #require(entry["acquisitions"]).elements
            #expect(acquisitions.count == 5)
            for acquisition in acquisitions {
                let times = ["asked", "open", "first"].compactMap { acquisition[$0]?.number }
                #expect(times.count == 3 && times == times.sorted())
            }
            let receipts = try #require(entry["receipts"]).elements
            #expect(receipts.count == 5)
            for receipt in receipts {
                #expect(receipt["forced"] == false)
                let asked = try #require(receipt["asked"]?.number)
                #expect(asked <= (try #require(receipt["released"]?.number)))
            }
            #expect(try #require(entry["delivered"]?.number) > 0)
            // A loaded machine may let the sound run out; that is mended, and said.
            if id != "playback" { #expect(entry["errors"]?.elements == []) }
        }
        let playback = try resource("playback")
        let positions = try #require(playback["receipts"]).elements.compactMap { $0["position"]?.number }
        #expect(positions.count == 5 && positions == positions.sorted())
        #expect(report["playback"]?["position"]?.number == positions.last)
        #expect(playback["delivered"]?.number == positions.last)
        #expect(report["playback"]?["media"] == .null)
        let said = end.lines.joined(separator: "\n")
        for words in ["5 activations", "frames over 5", "samples over 5", "heard frames", "5 receipts", "all of them"] {
            #expect(said.contains(words), "\(words) in\n\(said)")
        }
    }

    /// However late a loaded machine is: every wish is carried out in its turn, none before its time.
    @Test func aScenarioIsCarriedOutInOrderAndOnTime() throws {
        let scenario = scratch.file(
            "scenario",
            """
            # five times on stage
            0 active
            0.1 inactive
            0.2 active
            0.3 background
            0.4 active
            0.5 suspended
            0.6 active
            0.7 inactive
            0.8 active
            0.9 end
            """)
        let end = OnstageProcess.run(
            ["run", "--synthetic", "--scenario", scenario, "--report", scratch("report")], home: scratch)
        #expect(end.status == 0 && end.errors == "")
        let transitions = try #require(try scratch.json("report")["transitions"]).elements
        let active = transitions.filter { $0["to"]?.string == "active" }.compactMap { $0["at"]?.number }
        #expect(active.count == 5)
        for (time, due) in zip(active, [0, 200, 400, 600, 800]) { #expect(time >= Double(due)) }
        #expect(
            transitions.map { $0["to"]?.string ?? "" }.joined(separator: " ") == """
                inactive active inactive active inactive background inactive active inactive background suspended \
                background inactive active inactive active inactive background notRunning
                """)
        for id in ["camera", "accelerometer", "gyroscope", "playback"] {
            #expect(try resource(id)["receipts"]?.elements.count == 5)
        }
    }

    // MARK: What is refused

    @Test(
        arguments: [
            (["--nonsense"], 2, "unknown option --nonsense"), (["--profile", "no-such"], 2, "no-such"),
            (["--scenario", "/nonexistent"], 2, "/nonexistent"), (["--duration", "x"], 2, "--duration"),
            (["--media", "/nonexistent.wav"], 1, "/nonexistent.wav"),
            (["--report", "/proc/nonexistent/r"], 1, "/proc/nonexistent"),
            (["--media", "/etc/passwd"], 1, "/etc/passwd"), (["--report", "/tmp"], 1, "/tmp"),
        ] as [([String], Int32, String)])
    func refused(_ arguments: [String], _ status: Int32, _ words: String) {
        let end = OnstageProcess.run(["run", "--synthetic"] + arguments, home: scratch)
        #expect(end.status == status)
        #expect(end.errors.contains(words), "\(end.errors)")
        #expect(end.lines == [])
    }

    @Test func aBadScenarioIsRefusedWithItsLines() {
        let scenario = scratch.file("bad", "0 active\n# fine\n1 dance\n2 end\nx end\n")
        let end = OnstageProcess.run(
            ["run", "--synthetic", "--scenario", scenario, "--report", scratch("report")], home: scratch)
        #expect(end.status == 2)
        #expect(end.errors.contains("bad:3: ") && end.errors.contains("bad:5: "))
        #expect(access(scratch("report"), F_OK) != 0)
    }

    @Test func aBadProfileIsRefusedByPointer() {
        let profile = scratch.file("p.json", #"{"name":"p","camera":{"device":"any","width":0,"height":1}}"#)
        let end = OnstageProcess.run(["run", "--profile", profile], home: scratch)
        #expect(end.status == 2)
        #expect(end.errors.contains("/camera/width"), "\(end.errors)")
    }

    /// What waits is tried again twice a second; each return to the stage says it once.
    @Test func whatWaitsIsSaidOnce() {
        let profile = scratch.file("p.json", #"{"name":"p","camera":{"device":"driver nobody-makes-this"}}"#)
        let scenario = scratch.file("s", "0 active\n1.2 inactive\n1.3 active\n2.5 end\n")
        let end = OnstageProcess.run(["run", "--profile", profile, "--scenario", scenario], home: scratch)
        #expect(end.status == 0)
        #expect(end.lines.count { $0.contains("main camera waits: ") } == 2, "\(end.lines)")
        #expect(end.lines.count { $0.hasSuffix("main camera waits no more") } == 2, "\(end.lines)")
        #expect(!end.lines.contains { $0.contains("failed") }, "\(end.lines)")
    }

    @Test func aBadMediaLeavesAReport() throws {
        let end = OnstageProcess.run(
            ["run", "--synthetic", "--media", "/etc/passwd", "--report", scratch("report")], home: scratch)
        #expect(end.status == 1)
        #expect(try scratch.json("report")["exit"] == 1)
    }

    // MARK: Where wishes come from

    @Test func withoutAScenarioItIsActiveAndSignalsAreWishes() throws {
        let run = start()
        run.line("main inactive -> active")
        run.line("camera first")
        run.send(SIGUSR1)
        run.line("main active -> inactive")
        run.line("playback released")
        run.send(SIGUSR2)
        run.line("main inactive -> active")
        run.line("playback first")
        run.send(SIGINT)
        #expect(run.wait().status == 0)
        #expect(try #require(try resource("playback")["receipts"]).elements.count == 2)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func aSignalEndsWithAReport(_ signal: Int32) throws {
        let run = start()
        run.line("playback first")
        run.send(signal)
        let end = run.wait()
        #expect(end.status == 0, "\(end.errors)")
        #expect(try scratch.json("report")["transitions"]?.elements.last?["to"]?.string == "notRunning")
    }

    /// A terminal that goes ends nothing then; the other signals are heeded as ever.
    @Test func underNohupItGoesOn() throws {
        let run = OnstageProcess([OnstageProcess.program, "run", "--synthetic"], home: scratch, program: "nohup")
        run.line("playback first")
        run.send(SIGHUP)
        run.send(SIGUSR1)
        run.line("active -> inactive")
        run.send(SIGUSR2)
        run.line("inactive -> active")
        run.line("playback first")
        run.send(SIGTERM)
        #expect(run.wait().status == 0)
    }

    @Test func linesOfStandardInputAreWishesAndItsEndEndsNothing() throws {
        let run = start()
        run.line("camera first")
        run.tell("background")
        run.line("main inactive -> background")
        run.tell("dance # what")
        run.tell("")
        run.tell("# nothing")
        run.tell("active")
        run.line("background -> inactive")
        run.line("playback first")
        run.tell("pause")
        run.line("playback released")
        run.tell("seek 12345")
        run.tell("play")
        run.line("playback first")
        run.tell("active scene=second")
        run.line("second inactive -> active")
        run.line("second camera first")
        run.tell("end scene=second")
        run.line("second background -> notRunning")
        run.tell("interrupt call audio")
        run.line("interrupted call audio")
        run.line("playback released")
        run.closeInput()
        run.send(SIGUSR1)
        run.line("main active -> inactive")
        run.send(SIGTERM)
        let end = run.wait()
        #expect(end.status == 0)
        #expect(end.errors.contains("\"dance\""))
        let playback = try resource("playback")
        let positions = try #require(playback["receipts"]).elements.compactMap { $0["position"]?.number }
        #expect(try #require(positions.dropFirst().first(where: { $0 >= 12345 })) < 12345 + 48_000 * 20)
        #expect(try resource("camera", scene: "second")["receipts"]?.elements.isEmpty == false)
    }

    @Test func aDurationEndsIt() throws {
        let run = start("--duration", "0.3")
        run.closeInput()
        #expect(run.wait().status == 0)
        let last = try #require(try scratch.json("report")["transitions"]?.elements.last)
        #expect(last["to"]?.string == "notRunning")
        #expect(try #require(last["at"]?.number) >= 300)
    }

    @Test func aQuietRunSaysNothing() throws {
        let run = start("--quiet")
        run.tell("end")
        let end = run.wait()
        #expect(end.status == 0)
        #expect(end.lines == [])
    }

    // MARK: Positions

    @Test func theSoundGoesOnInTheNextRun() throws {
        #expect(try position(after: "seek 30000") >= 30000)
        #expect(try position() >= 30000)
        #expect(try position("--fresh") < 30000)
    }

    /// Where the first pause of a run is, which is on the disk too.
    private func position(_ arguments: String..., after wish: String? = nil) throws -> Double {
        let run = OnstageProcess(
            ["run", "--synthetic", "--media", PlayedRamp.path, "--report", scratch("report")] + arguments, home: scratch
        )
        run.line("playback first")
        if let wish { run.tell(wish) }
        run.tell("inactive")
        run.line("playback released")
        run.tell("end")
        #expect(run.wait().status == 0)
        let receipt = try #require(try resource("playback")["receipts"]?.elements.first)
        #expect(receipt["stored"]?.number != nil)
        return try #require(receipt["position"]?.number)
    }
}
