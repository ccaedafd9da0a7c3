import Onstage
import OnstageCore
import OnstageLinux
import OnstageMotion
import Testing

@testable import OnstageCommand

@Suite("tables and the program: onstage sensors")
struct SensorsCommandTests {
    @Test func whatIsSaid() throws {
        let options = try SensorsOptions(["gyroscope", "-r", "200", "--duration=2.5", "--csv", "--plot", "a.SVG"])
        #expect(options.sensors == [.pick(SensorPick(kind: .gyroscope))])
        #expect(options.rate == 200 && options.duration == .milliseconds(2500))
        #expect(options.form == .csv && options.plot == "a.SVG" && !options.isCheck)
        #expect(try SensorsOptions(["--check"]).duration == .seconds(10))
        #expect(try SensorsOptions([String]()).duration == nil)
    }

    @Test(
        "refused",
        arguments: [
            ["--rate", "0"], ["--rate", "inf"], ["--rate", "x"], ["--duration", "0"], ["--csv", "--json"],
            ["--check", "--csv"], ["--plot", "a.png"], ["accelerometer:best"], [""], ["--loud"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: UsageError.self) { try SensorsOptions(arguments) }
    }

    private static let both = ["synthetic", "synthetic:gyroscope"]

    @Test("what is written as CSV is what bench imu plays again")
    func csv() throws {
        let run = OnstageProcess.run(["sensors", "--csv", "--rate", "100", "--duration", "0.5"] + Self.both)
        #expect(run.status == 0, "\(run)")
        #expect(run.lines.first == "time,ax,ay,az,gx,gy,gz")
        let recording = try MotionRecording(run.lines.joined(separator: "\n"))
        #expect(recording.rows.count >= 20)
        #expect(recording.rows.allSatisfy { abs($0.acceleration.z - 9.80665) < 1e-6 && $0.turn == .zero })
        for (one, next) in zip(recording.rows, recording.rows.dropFirst()) {
            #expect(abs(next.seconds - one.seconds - 0.01) < 0.000_002)
        }
    }

    @Test("one sensor by itself has its three axes; two of a kind are no table")
    func csvOfOne() {
        let run = OnstageProcess.run(["sensors", "--csv", "--duration", "0.1", "synthetic:gyroscope"])
        #expect(run.status == 0 && run.lines.first == "time,x,y,z", "\(run)")
        #expect(run.lines.dropFirst().first == "0.000000,0.000000,0.000000,0.000000")
        let two = OnstageProcess.run(["sensors", "--csv", "synthetic", "accelerometer"])
        #expect(two.status == 1 && two.errors.contains("2 sensors of the kind accelerometer"), "\(two)")
    }

    @Test func lines() throws {
        let run = OnstageProcess.run(["sensors", "--duration", "0.2"] + Self.both)
        #expect(run.status == 0, "\(run)")
        #expect(run.lines.contains { $0.hasSuffix(" accelerometer 0.0000 0.0000 9.8067 m/s²") })
        #expect(run.lines.contains { $0.hasSuffix(" gyroscope 0.0000 0.0000 0.0000 rad/s") })
        let json = OnstageProcess.run(["sensors", "--json", "--duration", "0.2", "synthetic"])
        #expect(json.status == 0, "\(json)")
        var last: Int64 = 0
        for line in json.lines {
            let sample = try JSONReader.read(Array(line.utf8))
            #expect(sample["kind"] == "accelerometer" && sample["value"]?.elements.count == 3)
            guard case .integer(let time)? = sample["time"] else { return #expect(Bool(false), "\(line)") }
            #expect(time > last)
            last = time
        }
        #expect(last > 0)
    }

    @Test("nothing is the matter with one that is made up")
    func check() throws {
        let run = OnstageProcess.run(["sensors", "--check", "--duration", "0.5", "--json"] + Self.both)
        #expect(run.status == 0, "\(run)")
        let found = try JSONReader.read(Array(run.lines.joined(separator: "\n").utf8))
        let sensors = try #require(found["sensors"]?.elements)
        #expect(sensors.count == 2)
        for sensor in sensors {
            #expect(sensor["faults"]?.elements.isEmpty == true && sensor["gaps"] == .integer(0), "\(sensor)")
            #expect(abs(try #require(sensor["measured"]?.number) - 50) < 0.1)
        }
        #expect(abs(try #require(sensors[0]["gravityOff"]?.number)) < 1e-9)
        let text = OnstageProcess.run(["sensors", "--check", "--duration", "0.2", "synthetic"])
        #expect(text.status == 0 && text.lines.last == "  no fault found", "\(text)")
    }

    @Test func plot() throws {
        let home = CommandScratch()
        let file = home("read.svg")
        let run = OnstageProcess.run(["sensors", "--plot", file, "--duration", "0.3"] + Self.both, home: home)
        #expect(run.status == 0 && run.lines.isEmpty, "\(run)")
        let text = try #require(SmallFile.text(file, limit: 1 << 20))
        #expect(text.hasPrefix("<svg ") && text.hasSuffix("</svg>\n"))
        #expect(text.split(separator: "<polyline ").count == 7)
        #expect(text.contains(">accelerometer synthetic") && text.contains("rad/s</text>"))
    }

    @Test("a live view on a terminal, until Ctrl-C")
    func view() {
        let terminal = TerminalProcess(["sensors"] + Self.both, home: CommandScratch(), columns: 60)
        #expect(terminal.see("  z     9.807 m/s²  ▅▅▅"))
        terminal.type("\u{03}")
        #expect(terminal.wait() == 0)
    }

    @Test("a sensor that is not there is an error at once")
    func absent() {
        let run = OnstageProcess.run(["sensors", "/dev/no-such-node"])
        #expect(run.status == 1 && run.errors.contains("is not there"), "\(run)")
    }
}
