import Glibc
import Onstage
import OnstageLinux
import Testing

@testable import OnstageCommand

/// What is around the main job: versions, help, lists, programs of their own.
@Suite(.serialized) struct SubcommandTests {
    private let scratch = CommandScratch()

    @Test func version() {
        for option in ["--version", "-V"] {
            let end = OnstageProcess.run([option])
            #expect(end.status == 0 && end.lines == ["onstage 0.1.0"])
        }
    }

    @Test(arguments: [
        [], ["run"], ["ctl"], ["devices"], ["profile"], ["bench"], ["bench", "imu"],
    ])
    func help(_ words: [String]) {
        let end = OnstageProcess.run(words + ["--help"])
        #expect(end.status == 0)
        #expect(end.lines.first?.lowercased().hasPrefix("usage: onstage") == true, "\(end.lines)")
        #expect(end.errors == "")
        guard words.count == 1 else { return }
        #expect(OnstageProcess.run(["help"] + words).lines == end.lines)
    }

    @Test(arguments: [
        [], ["--nonsense"], ["nonsense"], ["run", "--nonsense"], ["ctl"], ["ctl", "--pid", "x", "end"],
        ["devices", "x"],
        ["profile"], ["profile", "nonsense"], ["profile", "show"], ["profile", "check", "nonsense"], ["bench"],
        ["bench", "nonsense"], ["../etc"], [""],
    ])
    func usage(_ words: [String]) {
        let end = OnstageProcess.run(words)
        #expect(end.status == 2)
        #expect(end.lines == [])
        #expect(!end.errors.isEmpty)
    }

    @Test func devices() throws {
        let json = OnstageProcess.run(["devices", "--json", "--all"])
        #expect(json.status == 0)
        let value = try JSONReader.read(Array(json.lines.joined(separator: "\n").utf8))
        #expect(value.names == ["version", "cameras", "sensors", "sound"])
        #expect(value["version"] == 1)
        for entry in ["cameras", "sensors", "sound"].flatMap({ value[$0]?.elements ?? [] }) {
            for name in ["identity", "node", "name", "supported", "reason", "holders"] {
                #expect(entry.names.contains(name))
            }
        }
        let table = OnstageProcess.run(["devices"])
        #expect(table.status == 0)
        for title in ["Cameras", "Motion sensors", "Sound"] { #expect(table.lines.contains(title)) }
    }

    @Test func profiles() {
        let end = OnstageProcess.run(["profile", "list"])
        #expect(end.status == 0)
        for name in ["bench", "bench-kernel", "generic"] {
            #expect(end.lines.contains { $0.hasPrefix("\(name) ") })
            #expect(OnstageProcess.run(["profile", "check", name]).status == 0)
        }
        #expect(OnstageProcess.run(["profile", "detect"]).status == 0)
        #expect(OnstageProcess.run(["profile", "show", "generic"]).lines.first == "{")
    }

    @Test func anotherNameIsAProgram() {
        let program = scratch.file("onstage-greet", "#!/bin/sh\necho \"hello $*\"\nexit 7\n")
        chmod(program, 0o755)
        let end = OnstageProcess.run(
            ["greet", "--loud", "a b"], home: scratch, environment: ["PATH": "\(scratch.path):/usr/bin:/bin"])
        #expect(end.status == 7)
        #expect(end.lines == ["hello --loud a b"])
    }

    /// Only what the Swift runtime needs, and libasound: all others are loaded at first use.
    @Test func neededLibraries() throws {
        let folder = OnstageProcess.program.split(separator: "/").dropLast(2).joined(separator: "/")
        let release = "/\(folder)/release/onstage"
        guard access(release, X_OK) == 0 else { return }  // scripts/build has not been run
        let end = OnstageProcess(["-d", release], home: scratch, program: "readelf").wait()
        #expect(end.status == 0)
        let needed = end.lines.filter { $0.contains("(NEEDED)") }.compactMap { line in
            line.split(separator: "[").last.map { String($0.dropLast()) }
        }
        let allowed = ["libc.so.", "libm.so.", "ld-linux-", "libasound.so.", "libgcc_s.so.", "libstdc++.so."]
        #expect(needed.contains { $0.hasPrefix("libasound.so.") })
        for library in needed { #expect(allowed.contains { library.hasPrefix($0) }, "\(library)") }
    }
}
