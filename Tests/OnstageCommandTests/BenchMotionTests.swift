import Onstage
import OnstageCore
import Testing

@testable import OnstageCommand
@testable import OnstageMotion

@Suite("tables and the program: onstage bench motion")
struct BenchMotionTests {
    @Test func whatIsSaid() throws {
        let options = try BenchMotionOptions([
            "gyroscope:label base", "-n", "50", "--rate=200", "--batch", "20", "--sink=queued", "--cycles=3", "--json",
        ])
        #expect(options.sensor == .pick(SensorPick(kind: .gyroscope, selector: .label("base"))))
        #expect(options.samples == 50 && options.rate == 200 && options.batch == 20 && options.cycles == 3)
        #expect(options.sink == .queued && options.isJSON)
        #expect(options.maxLatency == .milliseconds(100))
        #expect(try BenchMotionOptions(["accelerometer"]).maxLatency == .zero)
    }

    @Test(
        "refused",
        arguments: [
            [], [""], ["a", "b"], ["a", "--samples", "0"], ["a", "--batch", "3"], ["a", "--rate", "0"],
            ["a", "--rate", "nan"],
            ["a", "--sink", "both"], ["accelerometer:best"], ["synthetic:camera"], ["a", "--decode", "le:s32/32>>0"],
            ["a", "--frames", "3"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: UsageError.self) { try BenchMotionOptions(arguments) }
    }

    private static func sensor(_ kind: MotionKind, _ name: String, _ number: Int, label: String? = nil) -> MotionSensor
    {
        MotionSensor(
            kind: kind, identity: label ?? "\(name) (i2c-\(number))", node: "/dev/iio:device\(number)", name: name,
            label: label,
            path: "/sys/devices/i2c-\(number)/iio:device\(number)", isPolled: false, holders: [])
    }

    @Test func namesOfSensors() throws {
        let there = [
            Self.sensor(.accelerometer, "bmi160", 0), Self.sensor(.gyroscope, "bmi160", 0),
            Self.sensor(.accelerometer, "kxcjk", 1, label: "accel-base"), Self.sensor(.accelerometer, "kxcjk", 2),
        ]
        func picks(_ text: String) throws -> [SensorPick] { try SensorWord(text).picks { there } }
        #expect(try picks("accelerometer") == [SensorPick(kind: .accelerometer)])
        #expect(try picks("synthetic:gyroscope") == [SensorPick(kind: .gyroscope, isSynthetic: true)])
        let place = MotionSelector.path("/sys/devices/i2c-0/iio:device0")
        for name in ["bmi160", "/dev/iio:device0", "bmi160 (i2c-0)"] {
            #expect(
                try picks(name) == [
                    SensorPick(kind: .accelerometer, selector: place), SensorPick(kind: .gyroscope, selector: place),
                ])
        }
        #expect(
            try picks("accel-base")
                == [SensorPick(kind: .accelerometer, selector: .path("/sys/devices/i2c-1/iio:device1"))])
        let two = #expect(throws: DeviceError.self) { try picks("kxcjk") }
        #expect(two?.kind == .configuration && two?.description.contains("/dev/iio:device2") == true)
        let none = #expect(throws: DeviceError.self) { try picks("lsm6") }
        #expect(none?.kind == .absent && none?.description.contains("accel-base") == true)
    }

    @Test(arguments: [("1", "inline"), ("20", "inline"), ("20", "queued"), ("20", "together")])
    func synthetic(batch: String, sink: String) throws {
        let run = OnstageProcess.run([
            "bench", "motion", "synthetic", "--samples", "100", "--rate", "500", "--batch", batch, "--sink", sink,
            "--cycles",
            "2", "--json",
        ])
        #expect(run.status == 0, "\(run)")
        let result = try JSONReader.read(Array(run.lines.joined(separator: "\n").utf8))
        #expect(result["samples"] == .integer(200) && result["missed"] == .integer(0), "\(run)")
        #expect(result["lost"] == .null)
        let rate = try #require(result["rate"]?.number)
        #expect(rate > 499 && rate < 501, "by the samples' own times")
        for cycle in try #require(result["cycles"]?.elements) {
            #expect(try #require(cycle["firstSampleMilliseconds"]?.number) > 0)
            #expect(try #require(cycle["releaseMilliseconds"]?.number) >= 0)
        }
    }

    @Test func decoding() {
        let run = OnstageProcess.run(["bench", "motion", "--decode", "le:s12/16>>4"])
        #expect(run.status == 0 && run.lines.first?.contains(" ns a sample") == true, "\(run)")
        #expect(OnstageProcess.run(["bench", "motion", "--decode", "le:s12/10"]).status == 2)
    }

    @Test("a sensor that is not there is an error at once")
    func absent() {
        let run = OnstageProcess.run(["bench", "motion", "/dev/no-such-node"])
        #expect(run.status == 1)
        #expect(run.errors.contains("is not there"))
    }
}
