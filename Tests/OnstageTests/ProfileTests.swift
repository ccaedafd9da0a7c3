import Glibc
import OnstageCore
import OnstageTestSupport
import Testing

@testable import Onstage

@Suite struct ProfileTests {
    private func problems(_ text: String) -> [String] {
        do throws(ProfileError) {
            _ = try ProfileDecoder.profile(Array(text.utf8), path: "p.json")
            return []
        } catch {
            return error.problems.map { "\($0.pointer): \($0.message)" }
        }
    }

    @Test(arguments: ["bench", "bench-kernel", "generic"])
    func theFilesAreGoodAndBuiltIn(name: String) throws {
        let text = try fileText("\(checkout)/hw-profiles/\(name).json")
        let profile = try ProfileDecoder.profile(Array(text.utf8), path: name)
        #expect(profile.name == name)
        #expect(profile.accelerometer?.rate == "game")
        #expect(profile.gyroscope?.rate == "game")
        #expect(profile.playback?.journal == .eachSecond)
        #expect(ProfileBuiltIn.texts.first { $0.name == name }?.text == text)
        let library = ProfileLibrary(directories: [])
        #expect(try library.profile(name) == profile)
        #expect(try library.entry(name).place == "built in")
    }

    @Test func whatTheyBind() throws {
        let library = ProfileLibrary(directories: [])
        let kernel = try library.profile("bench-kernel")
        #expect(kernel.camera?.device == "driver vivid")
        #expect(kernel.accelerometer?.device == "name accel_3d")
        #expect(kernel.gyroscope?.device == "name gyro_3d")
        #expect(kernel.playback?.device == "hw:CARD=Loopback,DEV=0")
        let bench = try library.profile("bench")
        #expect(bench.camera?.isSynthetic == true && bench.accelerometer?.isSynthetic == true)
        #expect(bench.gyroscope?.isSynthetic == true && bench.playback?.isSynthetic == true)
        #expect(bench.playback?.recording == "bench.wav")
        let generic = try library.profile("generic")
        #expect(generic.camera == Profile.Camera(device: "any"))
        #expect(generic.playback == Profile.Playback(device: "default"))
    }

    @Test func everyKeyIsTakenOver() throws {
        let profile = try ProfileDecoder.profile(Array(ProfileTexts.full.utf8), path: "full")
        #expect(profile.summary == "every key there is")
        var camera = Profile.Camera(device: "usb-0000:00:14.0-1 HD Webcam")
        (camera.width, camera.height, camera.pixelFormat, camera.framesPerSecond) = (1280, 720, "YUYV", 29.97)
        (camera.isExact, camera.allowsConversion, camera.buffers) = (true, false, 6)
        (camera.frameDeadline, camera.settleFrames) = (.milliseconds(1500), 3)
        (camera.settleTime, camera.copiesKeptFrames) = (.microseconds(250_500), true)
        camera.controls = [
            ControlSetting("brightness", 7), ControlSetting("gain_automatic", 0),
            ControlSetting("auto_exposure", "manual"),
        ]
        camera.pipeline = try MediaPipeline(
            device: "platform:rkisp1",
            links: [#""ov5647":0 -> "rkisp1_csi":0 [1]"#, #""rkisp1_isp":2 -> "rkisp1_resizer_mainpath":0 [1]"#],
            formats: [#""ov5647":0 [fmt:SBGGR10_1X10/1280x720 field:none @1/30]"#])
        #expect(profile.camera == camera)
        #expect(profile.accelerometer?.mountMatrix == [[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
        #expect(profile.accelerometer?.rate == "104.5")
        #expect(profile.gyroscope?.powerDownDelay == .zero)
        #expect(profile.playback?.pauseMode == .fast)
        #expect(profile.playback?.fade == .milliseconds(20))
        #expect(profile.playback?.readAhead == .seconds(2))
        #expect(profile.playback?.pausesWhenNoisy == true)
        #expect(profile.playback?.journal == .pause)
        #expect(profile.playback?.atEnd == .stay)
        #expect(profile.playback?.realtime == .never)
        #expect(profile.playback?.recording == "/tmp/heard.wav")
        #expect(profile.deadlines.debounce == .zero)
        #expect(profile.retry.second == .seconds(1))
        #expect(profile.retry.limit == .seconds(60))
    }

    @Test func everyKeyOfARoute() throws {
        let playback = try ProfileDecoder.profile(Array(ProfileTexts.routed.utf8), path: "routed").playback
        var route = MixerRoute(card: "Dummy", useCase: MixerRoute.UseCase(verb: "HiFi", device: "Speaker"))
        var notify = MixerRoute.Control("PCM Notify", .flag(true))
        (notify.index, notify.interface, notify.device, notify.subdevice) = (1, .pcm, 2, 3)
        route.controls = [MixerRoute.Control("Master Volume", .number(80), .text("-12dB")), notify]
        route.isRequired = false
        #expect(playback?.route == route)
    }

    /// A text, and all that is said of it.
    @Test(
        arguments: [
            ("", [": line 1, column 1: it breaks off here"]),
            ("{\"name\": \"a\",}", [": line 1, column 14: a key in quotes was expected"]),
            ("{\n  \"name\": \"a\"\n  \"x\": 1}", [": line 3, column 3: \",\" or \"}\" was expected"]),
            ("{\"name\": \"a\", \"name\": \"b\"}", [": line 1, column 15: the key \"name\" stands here twice"]),
            ("[]", [": must be an object"]),
            (
                "{}",
                [
                    ": the key \"name\" is missing",
                    ": names no device: one of camera, accelerometer, gyroscope and playback is needed",
                ]
            ),
            (
                """
                {"name": "A b", "camera": {"devise": "any", "width": 0, "buffers": 2.5}, "playback": {"device": "default",
                "recording": "x.wav", "journal": "2s"}, "a/b~": 1, "playbak": {}}
                """,
                [
                    "/camera: the key \"device\" is missing",
                    "/camera/width: must be a whole number, 1 to 65535",
                    "/camera: the key \"height\" is missing",
                    "/camera/buffers: must be a whole number, 2 to 32",
                    "/camera/devise: is no key of a profile; was \"device\" meant?",
                    "/name: must be made of small letters, digits and \"-\", and not begin with \"-\"",
                    "/playback/recording: is only possible with the device \"synthetic\"",
                    "/playback/journal: must be one of \"1s\", \"10s\", \"pause\"",
                    "/a~1b~0: is no key of a profile",
                    "/playbak: is no key of a profile; was \"playback\" meant?",
                ]
            ),
            (
                #"""
                {"name": "a", "camera": {"device": "any", "media": {"links": ["\"a\":0 -> \"b\":0", 7, "\"a\":0 -> 3:1 [2]"],
                "formats": ["\"a\":0 [fmt:SBGGR9/640x480]"], "pads": []}}}
                """#,
                [
                    "/camera/media/links/0: at character 15: [ is expected, and the text ends",
                    "/camera/media/links/1: must be a text of at most 512 characters",
                    "/camera/media/links/2: at character 15: 1 (on) or 0 (off) is expected",
                    "/camera/media/formats/0: at character 12: \"SBGGR9\" is no format",
                    "/camera/media/pads: is no key of a profile",
                ]
            ),
            (
                #"{"name": "a", "camera": {"device": "synthetic", "media": {"device": "x"}}}"#,
                [
                    "/camera/media: gives neither links nor formats",
                    "/camera/media: is not possible with the device \"synthetic\"",
                ]
            ),
            (
                "{\"name\": \"a\", \"gyroscope\": {\"device\": \"any\", \"mountMatrix\": [[1,0,0],[0,2,0],[0,0]]}}",
                [
                    "/gyroscope/mountMatrix/1: must be 3 numbers, each -1 to 1",
                    "/gyroscope/mountMatrix/2: must be 3 numbers, each -1 to 1",
                ]
            ),
            (
                """
                {"name": "a", "playback": {"device": "hw:CARD=Dummy", "route": {"ucm": {"device": "x"}, "controls": [
                {"name": "Master Volume"}, {"name": "a", "value": 1, "valeu": 2}, 3, {"name": "b", "value": [1, null]}]}}}
                """,
                [
                    "/playback/route/ucm: the key \"verb\" is missing",
                    "/playback/route/controls/0: the key \"value\" is missing",
                    "/playback/route/controls/1/valeu: is no key of a profile; was \"value\" meant?",
                    "/playback/route/controls/2: must be an object",
                    "/playback/route/controls/3/value: must be a whole number, true, false, or a text such as the name of an "
                        + "item, \"50%\" or \"-12dB\"; or a list of 1 to 128 of them, one for each channel",
                ]
            ),
            (
                "{\"name\": \"a\", \"playback\": {\"device\": \"default\", \"route\": {}}}",
                [
                    "/playback/route: the key \"card\" is missing",
                    "/playback/route: sets nothing: \"ucm\" or \"controls\" is needed",
                ]
            ),
            (
                "{\"name\": \"a\", \"playback\": {\"device\": \"synthetic\", \"route\": {\"controls\": []}}}",
                [
                    "/playback/route: is not possible with the device \"synthetic\"",
                    "/playback/route/controls: must be a list of 1 to 64 objects",
                ]
            ),
        ] as [(String, [String])])
    func everyProblemIsNamedWhereItIs(text: String, expected: [String]) {
        #expect(problems(text).sorted() == expected.sorted())
    }

    @Test func theOrderOfTheSearch() throws {
        let (first, second) = (Scratch(), Scratch())
        let text = { (name: String) in "{\"name\": \"\(name)\", \"camera\": {\"device\": \"any\"}}" }
        second.file("mine.json", text("second"))
        second.file("bench.json", text("bench"))
        let library = ProfileLibrary(directories: ["/nowhere", first.path, second.path])
        #expect(try library.profile("mine").name == "second")
        first.file("mine.json", text("first"))
        #expect(try library.profile("mine").name == "first")
        #expect(try library.entry("bench").path == second.path + "/bench.json")
        #expect(try library.profile(first.path + "/mine.json").name == "first")
        first.file("schema.json", "{}")
        first.file("Bad Name.json", "{}")
        #expect(library.entries().map(\.name) == ["bench", "bench-kernel", "generic", "mine"])
        let unknown = #expect(throws: ProfileError.self) { try library.entry("nix") }
        #expect(unknown?.description.contains("there are bench, bench-kernel, generic, mine") == true)
        #expect(throws: ProfileError.self) { try library.entry("../mine") }
        let absent = #expect(throws: ProfileError.self) { try library.entry("/nowhere/p.json") }
        #expect(absent?.description.contains("ENOENT") == true)
        let folder = #expect(throws: ProfileError.self) { try library.entry(first.path + "/") }
        #expect(folder?.problems.count == 1)
    }

    @Test func thePlacesOfAProcess() {
        let built = ProfileLibrary(
            environment: ["HOME": "/home/a"], executable: "/src/onstage/.build/x86_64/release/onstage",
            currentDirectory: "/tmp")
        #expect(
            built.directories == [
                "/home/a/.config/onstage/profiles", "/etc/onstage/profiles",
                "/src/onstage/.build/x86_64/share/onstage/profiles", "/src/onstage/hw-profiles",
            ])
        let installed = ProfileLibrary(
            environment: ["XDG_CONFIG_HOME": "/c", "HOME": "/h"], executable: "/usr/bin/onstage",
            currentDirectory: checkout)
        #expect(
            installed.directories == [
                "/c/onstage/profiles", "/etc/onstage/profiles", "/usr/share/onstage/profiles",
                checkout + "/hw-profiles",
            ])
    }
}

enum ProfileTexts {
    /// Every key of a route.
    static let routed = """
        {
          "name": "routed",
          "playback": {
            "device": "default",
            "route": {
              "card": "Dummy", "ucm": { "verb": "HiFi", "device": "Speaker" }, "required": false,
              "controls": [
                { "name": "Master Volume", "value": [80.0, "-12dB"] },
                { "name": "PCM Notify", "index": 1, "interface": "pcm", "device": 2, "subdevice": 3, "value": true }
              ]
            }
          }
        }
        """

    /// Every key that a profile can have.
    static let full = """
        {
          "$schema": "schema.json", "name": "full", "description": "every key there is",
          "camera": {
            "device": "usb-0000:00:14.0-1 HD Webcam", "width": 1280, "height": 720.0, "pixelFormat": "YUYV",
            "framesPerSecond": 29.97, "exact": true, "conversion": false, "buffers": 6,
            "frameDeadlineMilliseconds": 1500, "settleFrames": 3, "settleMilliseconds": 250.5, "keptFrames": "copy",
            "controls": { "brightness": 7, "gain_automatic": false, "auto_exposure": "manual" },
            "media": {
              "device": "platform:rkisp1",
              "links": ["\\"ov5647\\":0 -> \\"rkisp1_csi\\":0 [1], \\"rkisp1_isp\\":2->\\"rkisp1_resizer_mainpath\\":0[1]"],
              "formats": ["\\"ov5647\\":0 [fmt:SBGGR10_1X10/1280x720 field:none @1/30]"]
            }
          },
          "accelerometer": {
            "device": "label accel-display", "rate": 104.5, "maxLatencyMilliseconds": 100,
            "mountMatrix": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], "stallMilliseconds": 2000, "trigger": "accel-dev0"
          },
          "gyroscope": { "device": "name gyro_3d", "rate": "fastest", "powerDownMilliseconds": 0 },
          "playback": {
            "device": "synthetic", "recording": "/tmp/heard.wav", "bufferMilliseconds": 200, "nearMilliseconds": 30,
            "horizonMilliseconds": 5, "guardMilliseconds": 30, "pause": "fast", "volume": 0.5, "fadeMilliseconds": 20,
            "aheadMilliseconds": 2000, "reserve": false, "reservePriority": -5, "pauseWhenNoisy": true, "atEnd": "stay",
            "realtime": "never",
            "journal": "pause"
          },
          "deadlines": { "releaseMilliseconds": 500, "debounceMilliseconds": 0, "savingMilliseconds": 1000 },
          "retry": { "delaysMilliseconds": [100, 1000, 2000], "limitSeconds": 60 }
        }
        """
}
