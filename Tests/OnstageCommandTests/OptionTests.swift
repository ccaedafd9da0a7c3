import OnstageMotion
import Testing

@testable import OnstageCommand

@Suite struct OptionTests {
    private static let table = OptionTable(
        program: "onstage try", forms: ["[OPTION]…"], summary: "Tries.",
        options: [
            .init("file", short: "f", value: "FILE", "a file"), .init("all", short: "a", "all\nof them"),
            .init("brief", short: "b", "in short"),
        ])

    @Test(
        arguments: [
            (["--file", "x"], ["x"], []), (["--file=x"], ["x"], []), (["--file="], [""], []),
            (["--file=a=b"], ["a=b"], []),
            (["-f", "x"], ["x"], []), (["-fx"], ["x"], []), (["-abf", "x", "y"], ["x"], ["y"]), (["-abfx"], ["x"], []),
            (["--file", "--all"], ["--all"], []), (["-f", "-"], ["-"], []), (["--file=1", "-f2"], ["1", "2"], []),
            (["-", "a"], [], ["-", "a"]), (["--", "--file", "-a"], [], ["--file", "-a"]),
            (["a", "-b", "c"], [], ["a", "c"]),
            ([], [], []), ([""], [], [""]),
        ] as [([String], [String], [String])])
    func understood(_ arguments: [String], _ file: [String], _ operands: [String]) throws {
        let parsed = try ParsedOptions(arguments, Self.table)
        #expect(parsed.given["file"] ?? [] == file)
        #expect(parsed.value("file") == file.last)
        #expect(parsed.operands == operands)
    }

    @Test(arguments: [
        (["--nonsense"], "unknown option --nonsense"), (["--fil=x"], "unknown option --fil"),
        (["-x"], "unknown option -x"), (["-ax"], "unknown option -x"), (["--all=yes"], "--all takes no value"),
        (["--file"], "--file needs a value"), (["-f"], "-f needs a value"), (["-af"], "-f needs a value"),
        (["--="], "unknown option --"),
    ])
    func refused(_ arguments: [String], _ words: String) {
        #expect(throws: UsageError(words)) { try ParsedOptions(arguments, Self.table) }
    }

    @Test func flagsAndHelp() throws {
        let parsed = try ParsedOptions(["-ab", "--help"], Self.table)
        #expect(parsed.has("all") && parsed.has("brief") && parsed.has("help") && !parsed.has("file"))
        #expect(
            Self.table.helpText == """
                usage: onstage try [OPTION]…

                Tries.

                  -f, --file FILE  a file
                  -a, --all        all
                                   of them
                  -b, --brief      in short
                  -h, --help       show this and end

                """)
    }

    @Test(arguments: [
        (["--duration", "2.5"], Duration.milliseconds(2500)), (["-d0"], .zero), (["--duration=7"], .seconds(7)),
    ])
    func duration(_ arguments: [String], _ duration: Duration) throws {
        #expect(try RunOptions(arguments).duration == duration)
    }

    @Test(arguments: [["--duration", "-1"], ["--duration", "soon"], ["stray"], ["--media="], ["--report", ""]])
    func runRefuses(_ arguments: [String]) {
        #expect(throws: UsageError.self) { try RunOptions(arguments) }
    }

    @Test(arguments: [
        (0.0, 1, "0.0"), (1.25, 1, "1.3"), (-0.04, 1, "0.0"), (-1.26, 1, "-1.3"), (9.80665, 2, "9.81"), (12, 0, "12"),
        (0.005, 3, "0.005"), (.infinity, 1, "-"), (.nan, 0, "-"),
    ])
    func fixedPoint(_ value: Double, _ decimals: Int, _ text: String) {
        #expect(FixedPoint.text(value, decimals) == text)
    }
}
