import Testing

/// `Sources/Examples`, from outside.
@Suite struct ExampleTests {
    private let scratch = CommandScratch()

    @Test(arguments: [[], ["a.wav", "b.wav"]]) func withoutASoundItSaysWhatItWants(_ arguments: [String]) {
        let folder = OnstageProcess.program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let program = folder.joined(separator: "/") + "/StageExample"
        let end = OnstageProcess(arguments, home: scratch, program: program).wait()
        #expect(end.status == 2, "\(end)")
        #expect(end.lines == ["usage: StageExample SOUND.wav"])
    }
}
