import Onstage
import Testing

@testable import OnstageCommand

/// The command line of `onstage play`, and the times in it.
@Suite struct PlayOptionTests {
    @Test(
        arguments: [
            ("90", 1000, 90_000), ("1:30", 1000, 90_000), ("1:02:03.5", 8000, 29_788_000), ("0", 48000, 0),
            ("0.000020833", 48000, 0), ("0.000020834", 48000, 1), ("4320000f", 8000, 4_320_000), ("0f", 1, 0),
            ("90:00", 10, 54_000), ("100", 44100, 4_410_000), ("59.999999999", 48000, 2_879_999),
            ("999999999", 768_000, 767_999_999_232_000),
        ] as [(String, Int, Int64)])
    func aTimeIsAFrame(_ text: String, _ rate: Int, _ frame: Int64) throws {
        #expect(try #require(MediaTime(text)).frame(rate: rate) == frame)
    }

    @Test(arguments: [
        "", "f", "-1", "1:60", "1:-2", "1::2", ":30", "1:", "1:2:3:4", "1.5:00", "1:61:00", "x", "1e3", "12 f", "-1f",
        "99999999999999999999f", "1.5f", "NaN", "１",
    ])
    func noTime(_ text: String) {
        #expect(MediaTime(text) == nil)
    }

    @Test(
        arguments: [
            (0, 48000, "0:00.0"), (592_800, 48000, "0:12.3"), (2_879_999, 48000, "0:59.9"),
            (2_880_000, 48000, "1:00.0"),
            (172_800_000, 48000, "1:00:00.0"), (178_982_400, 48000, "1:02:08.8"), (7, 0, "-"),
        ] as [(Int64, Int, String)])
    func aFrameIsATime(_ frame: Int64, _ rate: Int, _ text: String) {
        #expect(MediaTime.text(frame, rate: rate) == text)
    }

    @Test func whatIsAsked() throws {
        let options = try PlayOptions([
            "a.wav", "-D", "hw:1", "--from", "1:30", "--loop", "--volume", "50%", "-k", "key", "--state=/s",
            "--pause-mode", "fast", "--buffer", "200", "--at-end", "stay", "--realtime", "always",
        ])
        #expect(options.items == [.file("a.wav")] && options.key == "key" && options.state == "/s" && options.isLooped)
        #expect(options.from == .time(.seconds(90)))
        #expect(options.player.output == "hw:1" && options.player.pauseMode == .fast && options.player.volume == 0.5)
        #expect(options.player.bufferTime == .milliseconds(200) && options.player.isLooped)
        #expect(options.player.atEnd == .stay && options.player.realtime == .always)
        let plain = try PlayOptions(["x"]).player
        #expect(plain == Player.Options())
        #expect(try PlayOptions(["x", "--device", "synthetic", "--recording", "r"]).player.output == nil)
    }

    @Test(
        arguments: [
            ([], "say which FILE"), ([""], "no name"), (["a", "b", "-k", "x"], "one FILE"),
            (["a", "--from", "x"], "--from x"),
            (["a", "--volume", "1.01"], "--volume 1.01"), (["a", "--volume", "-1"], "--volume -1"),
            (["a", "--volume", "101%"], "101%"),
            (["a", "--buffer", "19"], "--buffer 19 is not within 20…2000 (milliseconds)"),
            (["a", "--buffer", "2000.1"], "--buffer"),
            (["a", "--fade", "50.1"], "--fade 50.1 is not within 0…50 (milliseconds)"),
            (["a", "--pause-mode", "slow"], "slow"), (["a", "--at-end", "up"], "--at-end up"),
            (["a", "--realtime", "yes"], "auto, always, never"),
            (["-", "--at-end", "stay", "--rate", "8000", "--channels", "2", "--format", "s16"], "standard input"),
            (["a", "-r", "--from", "1"], "which of them"), (["a", "--recording", "x"], "synthetic"),
            (["-"], "--rate, --channels and --format"), (["a", "--rate", "8000"], "standard input"),
            (["-", "--rate", "0", "--channels", "2", "--format", "s16"], "--rate 0"),
            (["-", "--rate", "8000", "--channels", "33", "--format", "s16"], "--channels 33"),
            (
                ["-", "--rate", "8000", "--channels", "2", "--format", "u8"],
                "--format u8 is none of s16, s24, s32, f32"
            ),
            (["-", "-l", "--rate", "8000", "--channels", "2", "--format", "s16"], "looped"),
            (["-", "-r", "--rate", "8000", "--channels", "2", "--format", "s16"], "resumed"),
            (["-", "-", "--rate", "8000", "--channels", "2", "--format", "s16"], "once"),
            (["-", "-i", "--rate", "8000", "--channels", "2", "--format", "s16"], "header"),
            (["a", "--tick", "1"], "--json"), (["a", "-j", "--tick", "0.001"], "0.001"),
            (["a", "--device", ""], "--device"), (["a", "--nonsense"], "--nonsense"),
        ] as [([String], String)])
    func refused(_ arguments: [String], _ words: String) {
        #expect {
            _ = try PlayOptions(arguments)
        } throws: {
            "\($0)".contains(words)
        }
    }

    @Test func standardInputAmongFiles() throws {
        let options = try PlayOptions(["a", "-", "--rate", "44100", "--channels", "1", "--format", "f32", "b"])
        #expect(options.items == [.file("a"), .standardInput, .file("b")])
        #expect(options.raw == PlayOptions.Raw(rate: 44_100, channels: 1, sample: .f32))
        // The library's names are those that the help text has, and no other.
        let names = RawPCM.Sample.allCases.map(\.rawValue)
        #expect(names == ["s16", "s24", "s32", "f32"])
        #expect(PlayOptions.table.helpText.contains("--format \(names.joined(separator: "|"))\n"))
        #expect(try PlayOptions(["a", "--json"]).tick == .seconds(1))
        #expect(try PlayOptions(["a", "--json", "--tick", "0"]).tick == nil)
        #expect(try PlayOptions(["a"]).tick == nil)
    }

    /// The status line: what fits, and how long it stands.
    @Test(
        arguments: [
            (120, "playing 0:12 [#####-----------------------------------] 1:40 50 % loop (2/5) näme.wav"),
            (80, "playing 0:12 [####-------------------------------] 1:40 50 % loop (2/5) näme.wav"),
            (52, "playing 0:12 [-------] 1:40 50 % loop (2/5) näme.wav"),
            (50, "playing 0:12 1:40 50 % loop (2/5) näme.wav"), (30, "playing 0:12 1:40 50 % loop (2"), (5, "playi"),
        ] as [(Int, String)])
    func theStatusLine(_ columns: Int, _ text: String) {
        let info = MediaInfo(name: "x", rate: 8_000, channels: 2, format: "S16_LE", frames: 800_000)
        var status = PlayStatus(
            state: .playing, position: 100_000, info: info, volume: 0.5, isLooped: true, name: "näme.wav", number: 2,
            count: 5)
        #expect(status.text(columns: columns) == text)
        // Until the next whole second.
        #expect(status.lasts == .milliseconds(501))
        status.state = .paused(.init(.user))
        #expect(status.lasts == nil)
        #expect(PlayStatus.cut("日本語x", 5) == "日本")
    }

    @Test func keysHoweverTheyArrive() {
        var reader = KeyReader()
        #expect(reader.keys("q \u{1B}[A\u{1B}OD".utf8) == [.character(0x71), .character(0x20), .up, .left])
        // In pieces; with modifiers, and other sequences: nothing. An escape by itself neither.
        #expect(reader.keys([0x1B]) == [] && reader.keys([0x5B]) == [] && reader.keys([0x43]) == [.right])
        #expect(reader.keys("\u{1B}[1;5C\u{1B}[3~\u{1B}OP\u{1B}\u{1B}[Bx".utf8) == [.down, .character(0x78)])
        #expect(reader.keys("\u{1B}qq".utf8) == [.character(0x71)])
    }
}
