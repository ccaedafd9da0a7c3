import OnstageCore
import Testing

@testable import OnstageMotion

/// Which device is meant: trees in a folder.
@Suite struct SensorChoiceTests {
    private func resolve(_ fixture: IIOFixture, _ selector: MotionSelector, _ kind: MotionKind = .accelerometer)
        -> Result<ResolvedDevice, DeviceError>
    {
        let driver = MotionDriver(
            configuration: MotionConfiguration(kind: kind, selector: selector), sinks: MotionSinks(), tree: fixture.tree
        ) { _ in }
        return Result { () throws(DeviceError) in try driver.resolve() }
    }

    /// I-08
    @Test func noIIO() throws {
        let fixture = try IIOFixture()
        fixture.tree.devices += "/none"
        #expect(throws: DeviceError.self) { try resolve(fixture, .any).get() }
        guard case .failure(let error) = resolve(fixture, .any) else { return }
        #expect(error.kind == .absent)
        #expect(error.description.contains("this machine has no accelerometer"))
        #expect(MotionSensor.all(in: fixture.tree).isEmpty)
    }

    /// I-11
    @Test func twoOfAName() throws {
        let fixture = try IIOFixture()
        let nodes = [try fixture.accelerometer(0), try fixture.accelerometer(3)]
        defer { _ = nodes }
        fixture.put("devices/iio:device3/label", "accel-display\n")
        fixture.put("devices/iio:device0/label", "accel-base\n")
        guard case .failure(let error) = resolve(fixture, .name("accel_3d")) else {
            Issue.record("two of a name were not told")
            return
        }
        #expect(error.kind == .configuration)
        #expect(error.description.contains("accel-base") && error.description.contains("iio:device3"))
        #expect(try resolve(fixture, .label("accel-base")).get().node.hasSuffix("iio:device0"))
        #expect(try resolve(fixture, .any).get().identity == "accel-display")
        #expect(try resolve(fixture, .path("iio:device3")).get().node.hasSuffix("iio:device3"))
    }

    @Test func firstByNumber() throws {
        let fixture = try IIOFixture()
        let nodes = [try fixture.accelerometer(10), try fixture.accelerometer(9)]
        defer { _ = nodes }
        #expect(try resolve(fixture, .any).get().node.hasSuffix("iio:device9"))
    }

    @Test func byLocation() throws {
        let fixture = try IIOFixture()
        let nodes = [try fixture.accelerometer(0), try fixture.accelerometer(1)]
        defer { _ = nodes }
        fixture.put("devices/iio:device1/location", "lid\n")
        #expect(try resolve(fixture, .location("lid")).get().node.hasSuffix("iio:device1"))
        #expect(try resolve(fixture, .any).get().node.hasSuffix("iio:device1"))
    }

    /// A device of which nothing can be read hides no other, and one of another kind is not taken.
    @Test func brokenNeighbour() throws {
        let fixture = try IIOFixture()
        fixture.put("devices/iio:device0/in_accel_x_raw", "1")
        fixture.put("devices/iio:deviceX/name", "nonsense")
        let node = try fixture.accelerometer(1)
        let gyroscope = try fixture.accelerometer(2, name: "gyro_3d", prefix: "in_anglvel")
        defer { _ = (node, gyroscope) }
        fixture.drop("devices/iio:device1/name")
        #expect(try resolve(fixture, .any).get().node.hasSuffix("iio:device1"))
        #expect(try resolve(fixture, .any, .gyroscope).get().node.hasSuffix("iio:device2"))
        #expect(MotionSensor.all(in: fixture.tree).map(\.kind) == [.accelerometer, .gyroscope])
    }

    @Test func wrongName() throws {
        let fixture = try IIOFixture()
        let node = try fixture.accelerometer(0)
        defer { _ = node }
        guard case .failure(let error) = resolve(fixture, .name("bmi160")) else {
            Issue.record("a name that is not there was found")
            return
        }
        #expect(error.kind == .absent)
        #expect(error.description.contains("accel_3d"))
    }

    /// The kernel's new numbers at each plugging in are no part of the identity.
    @Test func identityOutlivesReplug() {
        func identity(_ path: String) -> String {
            IIOSensor(
                kind: .accelerometer, number: 0, folder: "", node: "", name: "accel_3d", label: nil, location: nil,
                realPath: path, hasBuffer: true
            ).identity
        }
        let before = identity("/sys/devices/virtual/misc/uhid/0003:1D6B:0104.0001/HID-SENSOR-200073.1.auto/iio:device0")
        let after = identity("/sys/devices/virtual/misc/uhid/0003:1D6B:0104.0007/HID-SENSOR-200073.9.auto/iio:device5")
        #expect(before == after)
        #expect(before == "accel_3d (HID-SENSOR-200073)")
    }
}
