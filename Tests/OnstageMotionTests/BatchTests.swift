import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstageMotion

/// Scripts: samples that come together, however they lie.
@Suite struct BatchTests {
    private static let patient = MotionConfiguration(
        kind: .accelerometer, rate: .hertz(1_000), maxLatency: .seconds(30), stallLimit: .seconds(60))

    /// One call for all, with all that a sample has; in its own form, shifted, or of the other byte order.
    @Test(arguments: [("le:s16/16>>0", 1), ("le:s12/16>>4", 16), ("be:s16/16>>0", 1), ("le:s8/16>>8", 256)])
    func together(_ type: String, factor: Int) throws {
        let matrix = try #require(MountMatrix("0, 1, 0; -1, 0, 0; 0, 0, 1"))
        var configuration = Self.patient
        configuration.mountMatrix = matrix
        let rig = try MotionRig(configuration, listens: false) { fixture in
            for axis in ["x", "y", "z"] {
                fixture.put("devices/iio:device0/scan_elements/in_accel_\(axis)_type", type + "\n")
            }
            fixture.put("devices/iio:device0/in_accel_offset", "5\n")
            fixture.put("devices/iio:device0/in_accel_z_scale", "0.02\n")
        }
        let calls = Mutex<[[MotionSample]]>([])
        try rig.sinks.addBatches { batch in
            var samples: [MotionSample] = []
            for index in 0..<batch.count {
                let sample = batch[index]
                #expect(batch.value(index) == sample.value && batch.raw(index) == sample.raw)
                #expect(batch.timestamp(index) == sample.timestamp && batch.sequence(index) == sample.sequence)
                samples.append(sample)
            }
            var each = 0
            batch.each { raw, value, timestamp in
                let sample = samples[each]
                #expect(raw == sample.raw && value == sample.value && timestamp == sample.timestamp)
                each += 1
            }
            #expect(each == batch.count)
            calls.withLock { $0.append(samples) }
        }
        try rig.loop.acquire()
        func stored(_ value: Int) -> Int16 {
            let number = Int16(truncatingIfNeeded: value * factor)
            return type.hasPrefix("be") ? number.byteSwapped : number
        }
        for index in 1...100 { rig.node.send(stored(index), stored(-index), stored(95), at: Int64(index) * 1_000_000) }
        rig.sinks.flush()
        try rig.loop.run { !calls.withLock { $0 }.isEmpty }
        let samples = calls.withLock { $0 }
        #expect(samples.count == 1, "in one call")
        let last = try #require(samples.first?.last)
        #expect(samples.first?.map(\.sequence) == Array(0..<100))
        #expect(last.raw == SIMD3(100, -100, 95))
        #expect(last.timestamp == MonotonicTime(nanoseconds: 100_000_000))
        let error = last.unmounted - SIMD3(1.05, -0.95, 2)
        #expect((error * error).sum() < 1e-18, "\(last)")
        #expect(last.value == SIMD3(last.unmounted.y, -last.unmounted.x, last.unmounted.z))
    }

    /// The quick way through a batch of whole 32-bit numbers says what the slow one says.
    @Test func whole32() throws {
        let rig = try MotionRig(Self.patient, listens: false) { fixture in
            for axis in ["x", "y", "z"] {
                fixture.put("devices/iio:device0/scan_elements/in_accel_\(axis)_type", "le:s32/32>>0\n")
            }
            fixture.put("devices/iio:device0/in_accel_offset", "-3\n")
        }
        let count = Mutex(0)
        try rig.sinks.addBatches { batch in
            var index = 0
            batch.each { raw, value, timestamp in
                let sample = batch[index]
                #expect(raw == sample.raw && value == sample.value && timestamp == sample.timestamp)
                #expect(raw == SIMD3(Int64(index) * 1_000_000, -2_000_000_000, Int64(index)))
                #expect(timestamp.nanoseconds == Int64(index + 1) * 1_000)
                #expect(abs(value.z - (Double(index) - 3) * 0.01) < 1e-12)
                index += 1
            }
            count.withLock { [index] in $0 += index }
        }
        try rig.loop.acquire()
        var bytes: [UInt8] = []
        for index in 0..<90 {
            for value in [Int32(index) * 1_000_000, -2_000_000_000, Int32(index), 0] {
                withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
            }
            withUnsafeBytes(of: (Int64(index + 1) * 1_000).littleEndian) { bytes += $0 }
        }
        rig.node.write(bytes)
        rig.sinks.flush()
        try rig.loop.run { count.withLock { $0 } == 90 }
        #expect(count.withLock { $0 } == 90)
    }

    /// What is no sample is closed up, in the middle too.
    @Test func doublesAreTakenOut() throws {
        let rig = try MotionRig(Self.patient, listens: false)
        let seen = Mutex<[Int64]>([])
        try rig.sinks.addBatches { batch in
            for index in 0..<batch.count { seen.withLock { $0.append(batch.raw(index).x) } }
        }
        try rig.loop.acquire()
        for number: Int16 in [1, 2, 2, 3, 3, 3, 4] { rig.node.send(number, 0, 981, at: Int64(number) * 1_000_000) }
        rig.sinks.flush()
        try rig.loop.run { seen.withLock { $0.count } >= 4 }
        #expect(seen.withLock { $0 } == [1, 2, 3, 4])
        #expect(rig.driver.statistics.duplicates == 3 && rig.driver.counts.bad == 3)
        #expect(rig.driver.counts.delivered == 4)
    }

    /// A listener with a slower rate has its own part of a batch, by number.
    @Test func decimated() throws {
        let rig = try MotionRig(Self.patient, listens: false)
        let all = Mutex(0)
        let some = Mutex<[UInt64]>([])
        try rig.sinks.addBatches { batch in all.withLock { $0 += batch.count } }
        try rig.sinks.addBatches(rate: .hertz(100)) { batch in
            for index in 0..<batch.count { some.withLock { $0.append(batch.sequence(index)) } }
        }
        try rig.loop.acquire()
        for index in 1...400 { rig.node.send(Int16(index), 0, 981, at: Int64(index) * 1_000_000) }
        rig.sinks.flush()
        try rig.loop.run { all.withLock { $0 } == 400 }
        let numbers = some.withLock { $0 }
        #expect(numbers.count == 40 && zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 10 }, "\(numbers)")
    }

    /// A batch that is longer than a queue usually is reaches a listener with a thread of its own whole.
    @Test func queuedWhole() throws {
        var configuration = Self.patient
        configuration.maxLatency = .seconds(2)
        let rig = try MotionRig(configuration, listens: false)
        let count = Mutex(0)
        let sink = try rig.sinks.add(.queued) { _ in count.withLock { $0 += 1 } }
        try rig.loop.acquire()
        for index in 1...1_500 { rig.node.send(Int16(index), 0, 981, at: Int64(index) * 1_000_000) }
        rig.sinks.flush()
        try rig.loop.run(limit: .seconds(20)) { rig.driver.counts.delivered == 1_500 && sink.deliveredCount == 1_500 }
        #expect(count.withLock { $0 } == 1_500)
        #expect(sink.droppedCount == 0 && rig.driver.counts.dropped == 0)
    }

    /// A device without times, at rest: the same numbers again are samples all the same.
    @Test func noTimes() throws {
        let rig = try MotionRig(Self.patient, listens: false) { fixture in
            for what in ["en", "index", "type"] {
                fixture.drop("devices/iio:device0/scan_elements/in_timestamp_\(what)")
            }
        }
        let times = Mutex<[Int64]>([])
        try rig.sinks.addBatches { batch in
            for index in 0..<batch.count { times.withLock { $0.append(batch.timestamp(index).nanoseconds) } }
        }
        try rig.loop.acquire()
        rig.node.write([UInt8](repeating: 1, count: 6 * 50))
        rig.sinks.flush()
        try rig.loop.run { times.withLock { $0.count } == 50 }
        let seen = times.withLock { $0 }
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }, "\(seen)")
        #expect(rig.driver.counts.bad == 0)
    }

    /// I-01: what a dead holder left enabled is not put back as if it belonged there.
    @Test func channelsOfADeadHolder() throws {
        let rig = try MotionRig(listens: false) { fixture in
            fixture.put("devices/iio:device0/buffer/enable", "1\n")
            for name in ["in_accel_x", "in_accel_z", "in_timestamp", "in_temp"] {
                fixture.put("devices/iio:device0/scan_elements/\(name)_en", "1\n")
            }
        }
        try rig.sinks.add(.inline) { _ in }
        try rig.loop.acquire()
        rig.loop.release()
        for name in ["in_accel_x", "in_accel_y", "in_accel_z", "in_timestamp", "in_temp"] {
            #expect(rig.fixture.get("devices/iio:device0/scan_elements/\(name)_en") == "0", "\(name)")
        }
    }
}
