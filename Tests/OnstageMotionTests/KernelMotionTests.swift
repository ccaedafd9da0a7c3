import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import Testing

@testable import OnstageMotion

/// Hardware: the kernel's own sensor drivers, fed by a virtual sensor. Runs where /dev/uhid can be opened: the bench VM.
@Suite(.serialized, .enabled(if: access("/dev/uhid", R_OK | W_OK) == 0, "needs /dev/uhid"))
struct KernelMotionTests {
    private struct Rig {
        let heard = Heard()
        let sinks = MotionSinks()
        let driver: MotionDriver
        let loop: DriverLoop

        init(_ configuration: MotionConfiguration) throws {
            let heard = heard
            try sinks.add(.inline) { heard.take($0) }
            driver = MotionDriver(configuration: configuration, sinks: sinks) { heard.take($0) }
            loop = DriverLoop(driver)
        }

        init(_ kind: MotionKind) throws { try self.init(MotionConfiguration(kind: kind)) }

        /// The names of what still stands enabled on the device.
        func leftovers() throws -> [String] {
            let sensor = try IIOTree.system.sensor(driver.configuration.kind, .any)
            let files =
                ["buffer/enable", "scan_elements/in_timestamp_en"]
                + ["x", "y", "z"].map { "scan_elements/\(sensor.prefix)_\($0)_en" }
            return files.filter { IIOTree.system.attribute("\(sensor.folder)/\($0)") != "0" }
                + ProcessFacts.descriptors().filter { $0.target.contains("/dev/iio") }.map(\.target)
        }
    }

    /// Runs `body` while the kernel has the two sensors of a virtual hub.
    private func withIMU(
        _ options: VirtualIMUOptions = VirtualIMUOptions(), _ body: (RunningIMU) throws -> Void
    ) throws {
        let imu = try RunningIMU { $0 = options }
        defer { imu.stop() }
        try #require(RunningIMU.waitForSensors(), "no sensors appeared: \(imu.text)")
        try body(imu)
    }

    @Test(arguments: ["x", "y", "z", "-x", "-y", "-z"])
    func gravity(_ axis: String) throws {
        let up = try #require(VirtualAxis(axis))
        try withIMU(.with(\.up, up)) { _ in
            let rig = try Rig(.accelerometer)
            let acquired = try rig.loop.acquire()
            #expect(acquired.format.contains { $0.name == "clock" && $0.value == .text("monotonic") }, "\(acquired)")
            try rig.loop.run { rig.heard.samples.count >= 20 }
            rig.loop.release()
            #expect(rig.heard.samples.count >= 20)
            for sample in rig.heard.samples {
                var expected = SIMD3<Double>.zero
                expected[up.index] = up.sign * 9.80665
                let error = sample.value - expected
                #expect((error * error).sum().squareRoot() <= 9.80665 * 0.001, "\(sample)")
                #expect(abs((MonotonicTime.now - sample.timestamp).wholeNanoseconds) < 10_000_000_000)
            }
        }
    }

    @Test func turning() throws {
        try withIMU(.with(\.motion, .rotate(radiansPerSecond: 0.75))) { _ in
            let rig = try Rig(.gyroscope)
            try rig.loop.acquire()
            try rig.loop.run { rig.heard.samples.count >= 20 }
            rig.loop.release()
            let last = try #require(rig.heard.samples.last)
            #expect(abs(last.value.x - 0.75) < 0.00075, "\(last)")
            #expect(last.value.y == 0 && last.value.z == 0)
        }
    }

    /// L-15: after each release nothing is enabled or open; at the end the sensor is switched off.
    @Test func fiftyCycles() throws {
        try withIMU { imu in
            let rigs = [try Rig(.accelerometer), try Rig(.gyroscope)]
            for cycle in 0..<50 {
                for rig in rigs {
                    try rig.loop.acquire()
                    let before = rig.heard.samples.count
                    // Some cycles end before the first sample.
                    if cycle % 3 != 0 {
                        #expect(try rig.loop.run { rig.heard.samples.count > before }, "cycle \(cycle)")
                    }
                    let (detail, took) = rig.loop.release()
                    #expect(detail.released != nil && took < .milliseconds(400), "\(took)")
                    #expect(try rig.leftovers() == [], "cycle \(cycle)")
                }
            }
            let released = MonotonicTime.now
            for kind in MotionKind.allCases {
                let delay = imu.waitForPowerOff(kind, since: released)
                #expect(delay.map { $0 < .seconds(5) } == true, "\(kind): \(imu.text)")
                print("fiftyCycles: \(kind.rawValue) off \(delay.map { "\($0)" } ?? "never") after the release")
            }
        }
    }

    /// The sensor numbers its samples: none is lost, whether each is read at once or in batches.
    @Test(arguments: [(200.0, Duration.zero, 600), (500.0, Duration.milliseconds(250), 1_500)])
    func noLoss(_ rate: Double, latency: Duration, count: Int) throws {
        try withIMU(.with(\.countsSamples, true)) { _ in
            let rig = try Rig(
                MotionConfiguration(kind: .accelerometer, rate: .hertz(rate), maxLatency: latency))
            let acquired = try rig.loop.acquire()
            #expect(acquired.format.contains { $0.name == "rate" && $0.value == .number(rate) }, "\(acquired)")
            #expect(try rig.loop.run(limit: .seconds(30)) { rig.heard.samples.count >= count })
            rig.loop.release()
            let numbers = rig.heard.samples.map(\.raw.x)
            let lost = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
            #expect(lost.isEmpty, "\(lost.prefix(5))")
            print(
                "noLoss: \(numbers.count) samples at \(rate) Hz, latency \(latency): \(rig.loop.wakeUps) wake-ups, "
                    + "measured \(rig.driver.statistics.rate) Hz")
            if latency > .zero { #expect(rig.loop.wakeUps < numbers.count / 20) }
        }
    }

    /// I-06, I-07, L-20: silence never holds a release; what comes after it arrives.
    @Test func silent() throws {
        try withIMU { imu in
            let rig = try Rig(.accelerometer)
            imu.inject(VirtualIMUFault(.silent))
            try rig.loop.acquire()
            try rig.loop.run(limit: .milliseconds(300)) { false }
            var (_, took) = rig.loop.release()
            #expect(took < .milliseconds(100))
            #expect(rig.heard.samples.isEmpty)

            try rig.loop.acquire()
            #expect(try rig.loop.run { rig.heard.reports.contains("recovered stalled") })
            imu.clearFaults()
            #expect(try rig.loop.run { rig.heard.samples.count >= 20 }, "\(rig.heard.reports)")
            (_, took) = rig.loop.release()
            #expect(took < .milliseconds(100))
            #expect(try rig.leftovers() == [])
        }
    }

    /// I-17: a sensor that missed its first power-up works after it has been switched off and on.
    @Test func deaf() throws {
        try withIMU(.with(\.faults, [VirtualIMUFault(.deaf(1))])) { imu in
            let rig = try Rig(.accelerometer)
            try rig.loop.acquire()
            #expect(try rig.loop.run { rig.heard.samples.count >= 5 }, "\(rig.heard.reports) \(imu.text)")
            #expect(rig.driver.statistics.restarts == 1)
            rig.loop.release()
            // The delay that the restart has set to nothing stands again.
            let sensor = try IIOTree.system.sensor(.accelerometer, .any)
            #expect(IIOTree.system.attribute("\(sensor.parent)/power/autosuspend_delay_ms") == "3000")
        }
    }

    /// I-16
    @Test func zeros() throws {
        try withIMU(.with(\.faults, [VirtualIMUFault(.zeros(5))])) { _ in
            let rig = try Rig(.accelerometer)
            try rig.loop.acquire()
            #expect(try rig.loop.run { rig.heard.samples.count >= 5 })
            rig.loop.release()
            #expect(rig.heard.samples.first?.raw.z == 10_000)
            #expect(rig.driver.statistics.leadingZeros == 5)
        }
    }

    /// I-09: pulled out in mid-stream it is absent; plugged in again, under another number, it works.
    @Test(arguments: [Duration.zero, .milliseconds(200)])
    func dies(latency: Duration) throws {
        let imu = try RunningIMU()
        defer { imu.stop() }
        try #require(RunningIMU.waitForSensors())
        let rig = try Rig(MotionConfiguration(kind: .accelerometer, maxLatency: latency))
        let before = try rig.driver.resolve()
        try rig.loop.acquire()
        try rig.loop.run { rig.heard.samples.count >= 5 }
        imu.inject(VirtualIMUFault(.die, duration: .milliseconds(500)))
        let died = MonotonicTime.now
        let error = #expect(throws: DeviceError.self) { try rig.loop.run { false } }
        print("dies: told \(MonotonicTime.now - died) after it was pulled out: \(error.map { "\($0)" } ?? "")")
        #expect(error?.kind == .absent)
        // The kernel does not end a poll on a node whose device has gone: we must look ourselves.
        #expect(MonotonicTime.now - died < .seconds(2))
        let (_, took) = rig.loop.release()
        #expect(took < .milliseconds(100))
        #expect(ProcessFacts.descriptors().filter { $0.target.contains("/dev/iio") }.isEmpty)
        try #require(RunningIMU.waitForSensors(), "\(imu.text)")
        #expect(try rig.driver.resolve().identity == before.identity)
        let count = rig.heard.samples.count
        try rig.loop.acquire()
        #expect(try rig.loop.run { rig.heard.samples.count >= count + 5 })
        rig.loop.release()
    }

    /// I-01
    @Test func leftEnabled() throws {
        try withIMU { _ in
            let sensor = try IIOTree.system.sensor(.accelerometer, .any)
            for channel in ["x", "y", "z"] {
                try #require(
                    IIOTree.system.write("1", to: "\(sensor.folder)/scan_elements/in_accel_\(channel)_en") == 0)
            }
            try #require(IIOTree.system.write("1", to: "\(sensor.folder)/buffer/enable") == 0)
            let rig = try Rig(.accelerometer)
            let acquired = try rig.loop.acquire()
            #expect(acquired.notes.contains { $0.contains("dead holder") })
            #expect(try rig.loop.run { rig.heard.samples.count >= 5 })
            rig.loop.release()
            #expect(IIOTree.system.attribute("\(sensor.folder)/buffer/enable") == "0")
        }
    }

    /// I-01: a live holder is named.
    @Test func liveHolder() throws {
        try withIMU { _ in
            let rig = try Rig(.accelerometer)
            let node = try rig.driver.resolve().node
            let holder = try Descriptor(opening: node, flags: O_RDONLY)
            let error = #expect(throws: DeviceError.self) { try rig.loop.acquire() }
            #expect(error?.kind == .inUse)
            #expect(error?.holders.first?.pid == getpid(), "\(error.map { "\($0)" } ?? "")")
            #expect(MotionSensor.all().first?.holders.first?.pid == getpid())
            holder.close()
            try rig.loop.acquire()
            #expect(try rig.loop.run { rig.heard.samples.count >= 2 })
            rig.loop.release()
        }
    }

    /// I-02: the trigger was taken away by hand.
    @Test func noTriggerSet() throws {
        try withIMU { _ in
            let sensor = try IIOTree.system.sensor(.accelerometer, .any)
            let file = "\(sensor.folder)/trigger/current_trigger"
            try #require(IIOTree.system.write("", to: file) == 0)
            try #require(IIOTree.system.attribute(file) == "")
            let rig = try Rig(.accelerometer)
            try rig.loop.acquire()
            #expect(try rig.loop.run { rig.heard.samples.count >= 2 })
            rig.loop.release()
            #expect(IIOTree.system.attribute(file) == "")
        }
    }

    /// I-19: HID sensors know whole milliseconds only.
    @Test(arguments: [(300.0, 1_000 / 3.0), (50.0, 50.0), (5.0, 5.0), (1_000 / 66.667, 1_000 / 66.0)])
    func rates(_ asked: Double, real: Double) throws {
        try withIMU { _ in
            let rig = try Rig(MotionConfiguration(kind: .gyroscope, rate: .hertz(asked)))
            let acquired = try rig.loop.acquire()
            rig.loop.release()
            guard case .number(let rate)? = acquired.format.first(where: { $0.name == "rate" })?.value else {
                Issue.record("no rate: \(acquired)")
                return
            }
            #expect(abs(rate - real) < 0.1, "\(rate)")
        }
    }

    /// With the wished delay and the right to set it, the sensor is off at once.
    @Test func powerDownDelay() throws {
        try withIMU { imu in
            let rig = try Rig(MotionConfiguration(kind: .accelerometer, powerDownDelay: .zero))
            try rig.loop.acquire()
            try rig.loop.run { rig.heard.samples.count >= 2 }
            let released = MonotonicTime.now
            rig.loop.release()
            let delay = imu.waitForPowerOff(.accelerometer, since: released)
            print("powerDownDelay: off \(delay.map { "\($0)" } ?? "never") after the release")
            #expect(delay.map { $0 < .milliseconds(500) } == true)
        }
    }

    /// I-21: answers that come late hold up the acquire, not the release.
    @Test func lateAnswers() throws {
        try withIMU { imu in
            let rig = try Rig(.accelerometer)
            imu.inject(VirtualIMUFault(.late(.milliseconds(300))))
            try rig.loop.acquire()
            #expect(try rig.loop.run { rig.heard.samples.count >= 2 })
            let (_, took) = rig.loop.release()
            #expect(took < .milliseconds(100))
            imu.clearFaults()
        }
    }

    /// I-11: two of a name.
    @Test func twoOfAName() throws {
        try withIMU { _ in
            let other = try RunningIMU { $0.name = "another hub" }
            defer { other.stop() }
            try #require(RunningIMU.waitForSensors(2))
            let error = #expect(throws: DeviceError.self) {
                try Rig(MotionConfiguration(kind: .accelerometer, selector: .name("accel_3d"))).driver.resolve()
            }
            #expect(error?.kind == .configuration)
            #expect(MotionSensor.all().count == 4)
        }
    }

    /// What was recorded is felt again.
    @Test func replay() throws {
        let rows = (0..<50).map { "\(Double($0) * 0.02),\(Double($0) * 0.1),1,2,0.1,0.2,\(Double($0) * 0.01)\n" }
            .joined()
        let recording = try MotionRecording(rows)
        try withIMU(.with(\.motion, .recording(recording))) { _ in
            let rig = try Rig(.accelerometer)
            try rig.loop.acquire()
            #expect(try rig.loop.run { rig.heard.samples.count >= 45 })
            rig.loop.release()
            // A sensor that its own machine holds up by more than 100 ms leaves rows out; none is out of place or changed.
            let rows = rig.heard.samples.prefix(40).map { Int(($0.value.x / 0.1).rounded()) }
            #expect(rows.first == 0)
            #expect(zip(rows, rows.dropFirst()).allSatisfy { $0 < $1 || ($0 > 40 && $1 < 10) }, "\(rows)")
            for (row, sample) in zip(rows, rig.heard.samples) {
                let error = sample.value - SIMD3(Double(row) * 0.1, 1, 2)
                #expect((error * error).sum().squareRoot() < 0.001, "\(row): \(sample.value)")
            }
        }
    }
}

extension VirtualIMUOptions {
    /// The defaults but for one.
    fileprivate static func with<Value>(_ option: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var options = VirtualIMUOptions()
        options[keyPath: option] = value
        return options
    }
}
