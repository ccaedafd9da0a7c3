import Onstage
import OnstageCore
import Testing

@testable import OnstageCommand

@Suite("tables: command lines of onstage camera and onstage bench camera")
struct CameraOptionTests {
    @Test func theListIsForNoName() throws {
        #expect(try CameraOptions([]).name == nil)
        #expect(try CameraOptions(["--all"]).includesOther)
        #expect(try CameraOptions(["--controls"]).name == "any")
        let options = try CameraOptions(["cam", "--set", "gain=3", "-s", "Auto Exposure=manual", "-fcj"])
        #expect(options.name == "cam" && options.wantsFormats && options.wantsControls && options.isJSON)
        #expect(options.settings == [ControlSetting("gain", 3), ControlSetting("auto_exposure", "manual")])
    }

    @Test(
        "refused",
        arguments: [["a", "b"], [""], ["--set", "gain"], ["--set", "=3"], ["cam", "--all"], ["--frames", "3"]])
    func refused(arguments: [String]) {
        #expect(throws: UsageError.self) { try CameraOptions(arguments) }
    }

    @Test func aBenchSaysWhatItWishes() throws {
        let options = try BenchCameraOptions([
            "/dev/video0", "--frames", "50", "--size=640x360", "--format", "nv12", "--fps", "30000/1001",
            "--sink=queued",
            "--json", "--buffers=4", "--cycles=3", "--as=bgra",
        ])
        #expect(options.frames == 50 && options.cycles == 3 && options.place == .queued && options.isJSON)
        let wish = options.configuration
        #expect(wish.width == 640 && wish.height == 360 && wish.pixelFormat == .nv12 && wish.buffers == 4)
        #expect(wish.rate.map { abs($0.value - 29.97) < 0.001 } == true)
    }

    @Test(
        "refused",
        arguments: [
            [], ["a", "b"], ["a", "--frames", "0"], ["a", "--size", "640"], ["a", "--size", "0x4"],
            ["a", "--format", "toolong"], ["a", "--fps", "0"], ["a", "--fps", "1/0"], ["a", "--sink", "other"],
            ["a", "--buffers", "1"], ["a", "--as", "png"], ["a", "--fps", "nan"],
        ])
    func refusedBench(arguments: [String]) {
        #expect(throws: UsageError.self) { try BenchCameraOptions(arguments) }
    }

    @Test func timesAreDistributed() throws {
        let times = TimeDistribution()
        #expect(times.spread == nil)
        for time in 1...1000 as ClosedRange<Int64> { times.add(time * 40_000) }
        var spread = try #require(times.spread)
        #expect(abs(spread.median - 20.04) < 0.4 && abs(spread.p99 - 39.64) < 0.8)
        #expect(abs(spread.mean - 20.02) < 0.001 && spread.max == 40)
        #expect(abs(spread.deviation - 11.547) < 0.001)
        times.reset()
        for time in [-35_000_000, -34_000_000, -33_000_000] as [Int64] { times.add(time) }
        spread = try #require(times.spread)
        #expect(abs(spread.median + 34) < 0.7 && spread.max == -33)
        times.reset()
        for time in [0, 1, 2, Int64.max, Int64.min] { times.add(time) }
        #expect(times.spread?.median == 1e-6)
    }

    @Test("a synthetic camera is measured: frames, rate, both sinks", arguments: ["inline", "queued"])
    func synthetic(sink: String) throws {
        let run = OnstageProcess.run(
            [
                "bench", "camera", "synthetic", "--frames", "20", "--fps", "200", "--sink", sink, "--cycles", "3",
                "--json",
            ])
        #expect(run.status == 0, "\(run)")
        let result = try JSONReader.read(Array(run.lines.joined(separator: "\n").utf8))
        #expect(result["frames"] == .integer(60))
        #expect(result["sink"] == .text(sink))
        let rate = try #require(result["fps"]?.number)
        #expect(rate > 20 && rate < 250)
        let cycles = try #require(result["cycles"]?.elements)
        #expect(cycles.count == 3)
        for cycle in cycles {
            #expect(try #require(cycle["firstFrameMilliseconds"]?.number) > 0)
            #expect(try #require(cycle["releaseMilliseconds"]?.number) >= 0)
        }
    }

    @Test("a camera that is not there is an error at once")
    func absent() {
        let run = OnstageProcess.run(["bench", "camera", "/dev/no-such-node"])
        #expect(run.status == 1)
        #expect(run.errors.contains("is not there"))
        let camera = OnstageProcess.run(["camera", "/dev/no-such-node", "--controls"])
        #expect(camera.status == 1)
        #expect(camera.errors.contains("is not there"))
    }
}
