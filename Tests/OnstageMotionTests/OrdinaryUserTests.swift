import Glibc
import OnstageCore
import Testing

@testable import OnstageMotion

/// Hardware: what an ordinary user may do, with and without the udev rule. Runs where ONSTAGE_MOTION_USER says which of the
/// two is to be seen ("allowed" or "refused") and a sensor is there: a script in the bench VM sets it.
@Suite(.serialized, .enabled(if: getenv("ONSTAGE_MOTION_USER") != nil, "needs ONSTAGE_MOTION_USER"))
struct OrdinaryUserTests {
    /// I-12
    @Test(arguments: MotionKind.allCases)
    func rights(_ kind: MotionKind) throws {
        try #require(getuid() != 0)
        let isAllowed = try #require(getenv("ONSTAGE_MOTION_USER").map { String(cString: $0) }) == "allowed"
        let heard = Heard()
        let sinks = MotionSinks()
        try sinks.add(.inline) { heard.take($0) }
        let configuration = MotionConfiguration(kind: kind, powerDownDelay: .milliseconds(100))
        let loop = DriverLoop(MotionDriver(configuration: configuration, sinks: sinks) { heard.take($0) })
        if isAllowed {
            let acquired = try loop.acquire()
            #expect(acquired.notes.isEmpty, "\(acquired)")
            #expect(try loop.run { heard.samples.count >= 5 })
            loop.release()
            #expect(heard.reports == ["first"])
        } else {
            let error = #expect(throws: DeviceError.self) { try loop.acquire() }
            #expect(error?.kind == .permission)
            #expect(error?.description.contains("/dev/iio:device") == true)
            #expect(error?.description.contains("60-onstage.rules") == true)
        }
    }
}
