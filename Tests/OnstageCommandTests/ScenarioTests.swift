import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstageCommand

@Suite struct ScenarioTests {
    @Test func theExampleOfTheFormat() throws {
        let scenario = try Scenario(
            """
            # how a person uses it
            0 active
            2.5   inactive   # a look away

            2.5 background scene=side
            3 seek 48000
            3.000000001 interrupt call audio scene=main
            4 interrupt alarm
            5 interrupt-ended stay
            6 suspended
            7 end
            """)
        #expect(
            scenario.entries.map(\.description) == [
                "0 active", "2.5 inactive", "2.5 background scene=side", "3 seek 48000",
                "3.000000001 interrupt call audio scene=main", "4 interrupt alarm", "5 interrupt-ended stay",
                "6 suspended",
                "7 end",
            ])
        #expect(scenario.entries[2].wish.scene == "side")
        #expect(scenario.entries[3].wish.scene == "main")
        #expect(scenario.entries[4].wish == SceneWish(.interrupt(reason: "call", kind: .audio), scene: "main"))
    }

    @Test(arguments: [
        "", "\n", "# nothing\n\n   \t#", "0 active", "0 active\r\n1 end\r\n", "007 play", "999999999 end",
    ])
    func whatIsAccepted(text: String) throws {
        let scenario = try Scenario(text)
        let again = try Scenario(scenario.entries.map(\.description).joined(separator: "\n"))
        #expect(again == scenario)
    }

    /// A file that is no text ends up in a message that a terminal can bear.
    @Test func whatIsShownOfARefusedWord() {
        #expect(
            SceneWish.Refusal(found: "\u{1B}[2J\u{7}", expected: "x").description
                == #""\u{1b}[2J\u{7}" where x was expected"#)
        let long = String(repeating: "ä", count: 4000)
        #expect(SceneWish.Refusal(found: long, expected: "x").description.unicodeScalars.count < 80)
    }

    /// A line, and words of what is said of it.
    @Test(arguments: [
        ("active", "\"active\" where a time"), ("-1 active", "\"-1\" where a time"), ("1e3 active", "a time"),
        (".5 active", "a time"), ("5. active", "a time"), ("1.0000000001 active", "a time"), ("1,5 active", "a time"),
        ("9999999999 active", "a time"), ("nan active", "a time"), ("٣ active", "a time"), ("1s active", "a time"),
        ("1", "nothing where active, inactive"), ("1 actve", "\"actve\" where active"), ("1 Active", "where active"),
        ("1 active now", "\"now\" where scene=NAME"), ("1 active scene=", "\"scene=\" where scene=NAME"),
        ("1 active scene=a/b", "scene=NAME"), ("1 active scene=a scene=b", "\"scene=b\" where the end"),
        ("1 scene=a active", "\"scene=a\" where active"), ("1 seek", "nothing where a frame"),
        ("1 seek -1", "a frame"), ("1 seek 1.5", "a frame"), ("1 seek 99999999999999999999", "a frame"),
        ("1 seek +1", "a frame"), ("1 seek scene=a", "a frame"), ("1 interrupt", "a reason"),
        ("1 interrupt scene=a", "a reason"), ("1 interrupt call video", "camera, motion, audio"),
        ("1 interrupt-ended", "resume or stay"), ("1 interrupt-ended maybe", "resume or stay"),
        ("1 notRunning", "where active"), ("1 end end", "scene=NAME or the end"), ("1 active\u{0}", "where active"),
    ])
    func whatIsRefused(line: String, words: String) throws {
        let refusal = #expect(throws: Scenario.Refusal.self) {
            try Scenario("0 active\n\n\(line)\n", path: "my scenario")
        }
        #expect(refusal?.lines.count == 1)
        #expect(refusal?.description.hasPrefix("my scenario:3: ") == true, "\(refusal as Any)")
        #expect(refusal?.description.contains(words) == true, "\(refusal as Any)")
    }

    @Test func everyBadLineIsNamed() {
        let refusal = #expect(throws: Scenario.Refusal.self) { try Scenario("0 go\n1 active\n0.5 end\n2 seek x\n") }
        #expect(refusal?.lines.map(\.number) == [1, 3, 4])
        #expect(refusal?.lines[1].text.contains("not before the line above (1)") == true)
    }

    @Test func aFileThatIsNotThereIsADeviceError() {
        let error = #expect(throws: DeviceError.self) { try Scenario(file: "/nowhere/scenario") }
        #expect(error?.kind == .absent)
    }

    /// Lines made of the format's own words and of noise: none crashes, and what is accepted reads back as itself.
    @Test func noiseNeverCrashesAndWhatIsAcceptedReadsBack() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        let pieces = [
            "0", "1", "1.5", "0.000000001", "-1", "active", "inactive", "background", "suspended", "play", "pause",
            "seek",
            "48000", "interrupt", "call", "audio", "camera", "motion", "interrupt-ended", "resume", "stay", "end",
            "scene=main", "scene=side", "scene=", "#", "#x", "\t", "\r", "é", "\u{0}", "\u{FEFF}", "🎭", "=",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            var line = ""
            for _ in 0..<Int(random.next() % 6) {
                line += pieces[Int(random.next() % UInt64(pieces.count))] + (random.next() % 8 == 0 ? "" : " ")
            }
            do throws(Scenario.Refusal) {
                let scenario = try Scenario(line)
                guard let entry = scenario.entries.first else { continue }
                accepted += 1
                let again = try Scenario(entry.description)
                #expect(again == scenario, "seed \(seed): \(line)")
                #expect((try? SceneWish(line: entry.wish.description)) == entry.wish)
            } catch {
                #expect(error.lines.count == 1)
            }
        }
        #expect(accepted > 50, "seed \(seed)")
    }
}
