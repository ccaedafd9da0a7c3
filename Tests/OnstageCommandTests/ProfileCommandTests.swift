import Onstage
import OnstageTestSupport
import Testing

@testable import OnstageCommand

@Suite struct ProfileCommandTests {
    let library = ProfileLibrary(directories: [])

    @Test func theListNamesEachAndWhereItIs() throws {
        let answer = ProfileCommand.list(library)
        #expect(answer.status == 0)
        #expect(answer.output.split(separator: "\n").count == 6)
        #expect(answer.output.hasPrefix("bench         No hardware:"))
        let value = try JSONReader.read(Array(ProfileCommand.list(library, json: true).output.utf8))
        guard case .list(let profiles)? = value["profiles"] else {
            Issue.record("no list")
            return
        }
        #expect(profiles.map { $0["name"] } == ["bench", "bench-kernel", "generic"])
        #expect(profiles.allSatisfy { $0["place"] == "built in" && $0["problems"] == 0 })
    }

    @Test func showIsTheTextAndCheckTheVerdict() throws {
        #expect(ProfileCommand.show("generic", library).output == (try library.entry("generic")).text)
        #expect(ProfileCommand.check("generic", library) == .init(output: "generic (built in): good\n"))
        for answer in [ProfileCommand.show("nix", library), ProfileCommand.check("nix", library)] {
            #expect(answer.status == 2)
            #expect(answer.output == "")
            #expect(answer.errors.hasPrefix("nix: there is no profile of this name"))
        }
        #expect(ProfileCommand.check("/nowhere/x.json", library).status == 2)
    }

    private static let vivid = DetectedDevices.Camera(names: ["platform:vivid-000", "/dev/video0"], driver: "vivid")
    private static let webcam = DetectedDevices.Camera(names: ["usb-1", "/dev/video2"], driver: "uvcvideo")

    private func sensor(_ name: String) -> DetectedDevices.Sensor {
        .init(name: name, label: nil, location: nil, path: "/sys/bus/iio/devices/iio:device0")
    }

    @Test func theProfileThatFits() {
        #expect(ProfileCommand.choice(DetectedDevices(), library).name == "bench")
        var devices = DetectedDevices(cameras: [Self.webcam])
        #expect(ProfileCommand.choice(devices, library).name == "generic")
        #expect(ProfileCommand.choice(devices, library).reason.contains("it waits for accelerometer, gyroscope, sound"))
        devices = DetectedDevices(cameras: [Self.vivid], soundCards: ["Loopback"])
        #expect(ProfileCommand.choice(devices, library).name == "generic")
        devices.accelerometers = [sensor("accel_3d")]
        devices.gyroscopes = [sensor("gyro_3d")]
        #expect(ProfileCommand.choice(devices, library).name == "bench-kernel")
        devices.soundCards = ["PCH"]
        #expect(ProfileCommand.choice(devices, library).name == "generic")
        devices = DetectedDevices(soundCards: ["PCH"])
        #expect(ProfileCommand.choice(devices, library).name == "generic")
        // A camera that a profile without its links and formats cannot use is none.
        devices.cameras = [.init(names: ["/dev/video0"], driver: "isp", needsPipeline: true)]
        #expect(ProfileCommand.choice(devices, library).reason.contains("it waits for camera"))
        devices = DetectedDevices(cameras: devices.cameras)
        #expect(ProfileCommand.choice(devices, library).name == "bench")
        // With them it is one, also where there is nothing else.
        let folder = Scratch()
        folder.file(
            "board.json",
            #"{"name": "board", "camera": {"device": "/dev/video0", "media": {"links": ["1:0 -> 2:0 [1]"]}}}"#)
        let choice = ProfileCommand.choice(devices, ProfileLibrary(directories: [folder.path]))
        #expect(choice.name == "board" && choice.reason == "it names camera /dev/video0")
    }
}
