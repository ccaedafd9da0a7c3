import OnstageCore
import OnstageLinux

@testable import OnstageMotion

/// A driver of an accelerometer on a tree in a folder, with a pipe for a node.
struct MotionRig {
    let fixture: IIOFixture
    let node: FakeNode
    let heard = Heard()
    let sinks = MotionSinks()
    let driver: MotionDriver
    let loop: DriverLoop

    /// - Parameters:
    ///   - listens: whether ``heard`` has an inline sink.
    ///   - change: what is different in the tree before the driver is made.
    init(
        _ configuration: MotionConfiguration = MotionConfiguration(kind: .accelerometer), listens: Bool = true,
        changing change: (IIOFixture) -> Void = { _ in }
    ) throws {
        fixture = try IIOFixture()
        node = try fixture.accelerometer(0)
        change(fixture)
        let heard = heard
        if listens { try sinks.add(.inline) { heard.take($0) } }
        driver = MotionDriver(configuration: configuration, sinks: sinks, tree: fixture.tree) { heard.take($0) }
        loop = DriverLoop(driver)
    }

    func attribute(_ name: String) -> String? { fixture.get("devices/iio:device0/\(name)") }

    /// All that an acquire may change, as it must stand again after a release.
    var leftovers: [String] {
        [
            "buffer/enable", "scan_elements/in_accel_x_en", "scan_elements/in_accel_y_en",
            "scan_elements/in_accel_z_en", "scan_elements/in_timestamp_en",
        ].filter { attribute($0) != "0" }
            + (attribute("trigger/current_trigger") == "" ? [] : ["trigger"])
            + (attribute("current_timestamp_clock") == "realtime" ? [] : ["clock"])
            + ProcessFacts.descriptors().filter { $0.target == "\(fixture.tree.nodes)/iio:device0" }.dropFirst()
            .map { "descriptor \($0.number)" }
    }
}
