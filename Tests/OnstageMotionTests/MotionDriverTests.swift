import CLinux
import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstageMotion

/// Scripts: the driver on a tree in a folder, with a pipe for a node.
@Suite struct MotionDriverTests {
    @Test func acquireAndRelease() throws {
        let rig = try MotionRig()
        let acquired = try rig.loop.acquire()
        #expect(rig.attribute("buffer/enable") == "1")
        #expect(rig.attribute("scan_elements/in_accel_y_en") == "1")
        #expect(rig.attribute("scan_elements/in_temp_en") == "0")
        #expect(rig.attribute("trigger/current_trigger") == "accel_3d-dev0")
        #expect(rig.attribute("current_timestamp_clock") == "monotonic")
        #expect(rig.attribute("in_accel_sampling_frequency") == "50")
        let format = Dictionary(uniqueKeysWithValues: acquired.format.map { ($0.name, $0.value) })
        #expect(format["rateAsked"] == .number(50) && format["rate"] == .number(50))
        #expect(format["scale"] == .number(0.01))
        #expect(format["clock"] == .text("monotonic") && format["trigger"] == .text("accel_3d-dev0"))
        #expect(format["polled"] == .flag(false))
        #expect(acquired.notes.isEmpty)
        let (detail, _) = rig.loop.release()
        #expect(detail.released != nil)
        #expect(rig.leftovers == [])
    }

    @Test func samples() throws {
        let matrix = try #require(MountMatrix("0, 1, 0; -1, 0, 0; 0, 0, 1"))
        let rig = try MotionRig(MotionConfiguration(kind: .accelerometer, mountMatrix: matrix)) { fixture in
            fixture.put("devices/iio:device0/in_accel_offset", "5\n")
            fixture.put("devices/iio:device0/in_accel_z_scale", "0.02\n")
        }
        try rig.loop.acquire()
        rig.node.send(95, -105, 395, at: 1_000)
        rig.node.send(96, -105, 395, at: 21_001_000)
        try rig.loop.run { rig.heard.samples.count == 2 }
        let sample = try #require(rig.heard.samples.first)
        #expect(sample.raw == SIMD3(95, -105, 395))
        #expect(sample.unmounted == SIMD3(1, -1, 8))
        #expect(sample.value == SIMD3(-1, -1, 8))
        #expect(sample.timestamp == MonotonicTime(nanoseconds: 1_000))
        #expect(sample.isMonotonic && !sample.isPolled)
        #expect(rig.heard.samples.map(\.sequence) == [0, 1])
        #expect(rig.heard.reports == ["first"])
        #expect(rig.driver.counts.delivered == 2)
        #expect(rig.loop.release().0.lastSequence == 1)
    }

    /// A throw at any step leaves nothing open or changed.
    @Test(arguments: [
        ("open", "dev/iio:device0"), ("write", "current_trigger"), ("write", "in_accel_sampling_frequency"),
        ("write", "in_accel_x_en"), ("write", "in_accel_z_en"), ("write", "in_timestamp_en"),
        ("write", "buffer/length"),
        ("write", "buffer/enable"), ("read", "in_accel_y_type"),
    ])
    func faultAtEachStep(_ operation: String, _ path: String) throws {
        for errno in [Errno.EACCES, Errno.ENODEV] {
            let armed = Mutex(true)
            let rig = try MotionRig { fixture in
                fixture.tree.fault = { what, file in
                    // Only setting up fails: what puts things back must reach the device.
                    armed.withLock { armed in
                        guard armed, what == operation, file.hasSuffix(path) else { return nil }
                        armed = operation == "read"
                        return errno
                    }
                }
            }
            let error = #expect(throws: DeviceError.self) { try rig.loop.acquire() }
            #expect(rig.leftovers == [], "\(operation) \(path)")
            if errno == Errno.EACCES, operation != "read" {
                #expect(error?.kind == .permission)
                #expect(error?.description.contains(path) == true, "\(error.map { "\($0)" } ?? "")")
                #expect(error?.description.contains("60-onstage.rules") == true)
            }
        }
    }

    /// An acquire can be called off between any two steps.
    @Test func calledOff() throws {
        for questions in 0..<7 {
            let rig = try MotionRig()
            let error = #expect(throws: DeviceError.self) { try rig.loop.acquire(FakeCancellation(after: questions)) }
            #expect(error?.kind == .cancelled)
            #expect(rig.leftovers == [], "after \(questions) questions")
        }
    }

    /// I-01
    @Test func deadHolder() throws {
        let rig = try MotionRig { $0.put("devices/iio:device0/buffer/enable", "1\n") }
        let acquired = try rig.loop.acquire()
        #expect(acquired.notes.contains { $0.contains("reset after a dead holder") })
        rig.loop.release()
        #expect(rig.attribute("buffer/enable") == "0")
    }

    /// I-01: the node's EBUSY decides, and nothing is touched.
    @Test func liveHolder() throws {
        let rig = try MotionRig { fixture in
            fixture.put("devices/iio:device0/buffer/enable", "1\n")
            fixture.tree.fault = { operation, _ in operation == "open" ? Errno.EBUSY : nil }
        }
        let error = #expect(throws: DeviceError.self) { try rig.loop.acquire() }
        #expect(error?.kind == .inUse)
        // Somebody has it, even where /proc does not show who.
        #expect(error?.holders.count == 1)
        #expect(rig.attribute("buffer/enable") == "1")
    }

    /// I-02
    @Test func triggers() throws {
        let none = try MotionRig { fixture in
            fixture.drop("devices/trigger0/name")
        }
        let error = #expect(throws: DeviceError.self) { try none.loop.acquire() }
        #expect(error?.kind == .configuration)
        #expect(error?.description.contains("accel_3d-dev0") == true)
        #expect(none.leftovers == [])

        let configured = try MotionRig { fixture in
            fixture.put("devices/trigger0/name", "hrtimer0\n")
            fixture.put("devices/iio:device0/trigger/current_trigger", "hrtimer0\n")
        }
        #expect(try configured.loop.acquire().format.contains { $0.name == "trigger" && $0.value == .text("hrtimer0") })
        configured.loop.release()
        #expect(configured.attribute("trigger/current_trigger") == "hrtimer0")

        let wished = try MotionRig(MotionConfiguration(kind: .accelerometer, trigger: "sysfs1")) {
            $0.put("devices/trigger0/name", "sysfs1\n")
        }
        try wished.loop.acquire()
        #expect(wished.attribute("trigger/current_trigger") == "sysfs1")
        wished.loop.release()
        #expect(wished.leftovers == [])

        let hasOwnClock = try MotionRig { $0.drop("devices/iio:device0/trigger/current_trigger") }
        #expect(try hasOwnClock.loop.acquire().format.contains { $0.name == "trigger" && $0.value == .text("none") })
    }

    /// I-03
    @Test func polled() throws {
        let rig = try MotionRig { $0.drop("devices/iio:device0/buffer/enable") }
        let acquired = try rig.loop.acquire()
        #expect(acquired.format.contains { $0.name == "polled" && $0.value == .flag(true) })
        try rig.loop.run { rig.heard.samples.count >= 2 }
        let sample = try #require(rig.heard.samples.first)
        #expect(sample.isPolled && sample.raw == SIMD3(1, 2, 3))
        rig.fixture.put("devices/iio:device0/in_accel_z_raw", "7\n")
        let count = rig.heard.samples.count
        try rig.loop.run { rig.heard.samples.count >= count + 2 }
        #expect(rig.heard.samples.last?.raw == SIMD3(1, 2, 7))
        rig.loop.release()
    }

    /// I-03: a reading that fails does not end the stream.
    @Test func polledReadingFails() throws {
        let fails = Mutex(3)
        let rig = try MotionRig { fixture in
            fixture.drop("devices/iio:device0/buffer/enable")
            fixture.tree.fault = { operation, path in
                guard operation == "read", path.hasSuffix("_y_raw") else { return nil }
                return fails.withLock { left in
                    left -= 1
                    return left >= 0 ? Errno.ETIMEDOUT : nil
                }
            }
        }
        try rig.loop.acquire()
        try rig.loop.run { rig.heard.samples.count >= 2 }
        #expect(rig.heard.reports == ["recovered stalled", "first"])
        #expect(rig.driver.counts.bad == 3)
    }

    /// I-13: of the axis before that of the kind; none at all is told.
    @Test func noScale() throws {
        let rig = try MotionRig { $0.drop("devices/iio:device0/in_accel_scale") }
        #expect(try rig.loop.acquire().notes.contains { $0.contains("scale") })
    }

    /// I-16
    @Test func leadingZeros() throws {
        let rig = try MotionRig()
        try rig.loop.acquire()
        let now = MonotonicTime.now.nanoseconds
        for index in 0..<5 { rig.node.send(0, 0, 0, at: now + Int64(index)) }
        rig.node.send(0, 0, 981, at: now + 10)
        rig.node.send(0, 0, 0, at: now + 11)
        try rig.loop.run { rig.heard.samples.count == 2 }
        #expect(rig.heard.samples.map(\.raw.z) == [981, 0])
        #expect(rig.driver.statistics.leadingZeros == 5)
    }

    @Test func onlyZeros() throws {
        let rig = try MotionRig()
        try rig.loop.acquire()
        let later = MonotonicTime.now.nanoseconds + 3_000_000_000
        for index in 0..<3 { rig.node.send(0, 0, 0, at: later + Int64(index)) }
        try rig.loop.run { rig.heard.samples.count == 3 }
        #expect(rig.heard.reports.filter { $0.contains("implausible") }.count == 1)
    }

    @Test func duplicates() throws {
        let rig = try MotionRig()
        try rig.loop.acquire()
        for time: Int64 in [1, 1, 2] { rig.node.send(1, 2, 3, at: time) }
        try rig.loop.run { rig.heard.samples.count == 2 }
        #expect(rig.driver.statistics.duplicates == 1)
        #expect(rig.driver.counts.bad == 1)
    }

    /// I-20: where the clock cannot be set, the times are converted and marked.
    @Test func realtimeClock() throws {
        let rig = try MotionRig { $0.drop("devices/iio:device0/current_timestamp_clock") }
        #expect(
            try rig.loop.acquire().format.contains { $0.name == "clock" && $0.value == .text("realtime, converted") })
        let lead = TimestampClock(nil).lead
        let now = MonotonicTime.now
        rig.node.send(1, 2, 3, at: now.nanoseconds + lead)
        try rig.loop.run { rig.heard.samples.count == 1 }
        let sample = try #require(rig.heard.samples.first)
        #expect(!sample.isMonotonic)
        #expect(abs((sample.timestamp - now).wholeNanoseconds) < 50_000_000)
    }

    /// I-06, I-17: silence is told once, the sensor is switched off and on once, and what comes later arrives.
    @Test func silence() throws {
        let rig = try MotionRig(MotionConfiguration(kind: .accelerometer, stallLimit: .milliseconds(100)))
        try rig.loop.acquire()
        try rig.loop.run { rig.heard.reports.contains("recovered stalled") }
        try rig.loop.run(limit: .milliseconds(300)) { rig.heard.reports.count > 1 }
        #expect(rig.heard.reports == ["recovered stalled"])
        #expect(rig.driver.statistics.restarts == 1)
        #expect(rig.attribute("buffer/enable") == "1")
        rig.node.send(1, 2, 3, at: 1)
        try rig.loop.run { !rig.heard.samples.isEmpty }
        #expect(rig.heard.reports.contains { $0.hasPrefix("samples again") })
        let (_, took) = rig.loop.release()
        #expect(took < .milliseconds(100))
        #expect(rig.leftovers == [])
    }

    /// L-15: without a listener nothing is switched on; the last one that leaves switches it off.
    @Test func listeners() throws {
        let rig = try MotionRig(listens: false)
        try rig.loop.acquire()
        #expect(rig.attribute("buffer/enable") == "0")
        let heard = rig.heard
        let first = try rig.sinks.add(.inline) { heard.take($0) }
        try rig.loop.run { rig.attribute("buffer/enable") == "1" }
        #expect(rig.attribute("in_accel_sampling_frequency") == "50")
        let fast = try rig.sinks.add(.inline, rate: .hertz(200)) { _ in }
        try rig.loop.run { rig.attribute("in_accel_sampling_frequency") == "200" }
        fast.remove()
        try rig.loop.run { rig.attribute("in_accel_sampling_frequency") == "50" }
        first.remove()
        try rig.loop.run { rig.attribute("buffer/enable") == "0" }
        #expect(rig.leftovers == [])
    }

    /// Each listener has its own rate, and the fastest is set.
    @Test func decimation() throws {
        let rig = try MotionRig(listens: false)
        let slow = Heard()
        let fast = Heard()
        try rig.sinks.add(.inline, rate: .hertz(100)) { fast.take($0) }
        try rig.sinks.add(.inline, rate: .hertz(10)) { slow.take($0) }
        try rig.loop.acquire()
        #expect(rig.attribute("in_accel_sampling_frequency") == "100.000000")
        for index in 1...200 { rig.node.send(Int16(index), 0, 981, at: Int64(index) * 10_000_000) }
        try rig.loop.run { fast.samples.count == 200 }
        #expect((19...21).contains(slow.samples.count), "\(slow.samples.count)")
    }

    /// A batch is awaited by time and read at once; a flush hands on what is there.
    @Test func batches() throws {
        let rig = try MotionRig(
            MotionConfiguration(
                kind: .accelerometer, rate: .hertz(1_000), maxLatency: .seconds(30), stallLimit: .seconds(60)))
        try rig.loop.acquire()
        for index in 1...500 { rig.node.send(Int16(index), 0, 981, at: Int64(index) * 1_000_000) }
        try rig.loop.run(limit: .milliseconds(200)) { !rig.heard.samples.isEmpty }
        #expect(rig.heard.samples.isEmpty)
        let wakeUps = rig.loop.wakeUps
        rig.sinks.flush()
        try rig.loop.run { rig.heard.samples.count == 500 }
        #expect(rig.loop.wakeUps <= wakeUps + 1)
    }

    /// Queued listeners have a thread of their own; after the release none of what waited is called.
    @Test func queued() async throws {
        let rig = try MotionRig(listens: false)
        let samples = try rig.sinks.samples(keepingNewest: 4)
        let queued = Heard()
        let sink = try rig.sinks.add(.queued) { queued.take($0) }
        try rig.loop.acquire()
        for index in 1...3 { rig.node.send(Int16(index), 0, 981, at: Int64(index) * 20_000_000) }
        try rig.loop.run { queued.samples.count == 3 }
        #expect(sink.deliveredCount == 3)
        rig.loop.release()
        var iterator = samples.makeAsyncIterator()
        #expect(await iterator.next()?.raw.x == 1)
    }

    /// After the release nothing that waited in a listener's queue begins, and the release does not wait for a slow one.
    @Test func nothingAfterRelease() throws {
        let rig = try MotionRig(listens: false)
        let gate = try Mailbox<Void>()
        let begun = Mutex(0)
        let sink = try rig.sinks.add(.queued) { _ in
            begun.withLock { $0 += 1 }
            var entry = pollfd(fd: gate.descriptor, events: Int16(POLLIN), revents: 0)
            _ = clinux_poll(&entry, 1, 5_000_000_000)
        }
        try rig.loop.acquire()
        for index in 1...10 { rig.node.send(Int16(index), 0, 981, at: Int64(index) * 20_000_000) }
        try rig.loop.run { rig.driver.counts.delivered == 10 && begun.withLock { $0 } == 1 }
        #expect(rig.loop.release().1 < .milliseconds(100))
        gate.send(())
        // The next acquire's sample is the next that is begun.
        try rig.loop.acquire()
        rig.node.send(99, 0, 981, at: 1_000_000_000)
        try rig.loop.run { sink.deliveredCount == 2 }
        #expect(begun.withLock { $0 } == 2)
        #expect(rig.driver.counts.dropped == 9)
        rig.loop.release()
    }
}
