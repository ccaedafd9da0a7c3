import OnstageMotion
import Testing

@testable import OnstageCommand

/// Tables: the command line of `onstage bench imu`.
@Suite struct BenchIMUTests {
    @Test func options() throws {
        let options = try BenchIMUOptions(arguments: [
            "--rate=200", "--axis", "-x", "--motion", "rotate", "--turn", "0.5", "--fault", "late=3000@1.5+2",
            "--counter",
        ])
        #expect(options.imu.rateLimit == 200)
        #expect(options.imu.up == VirtualAxis("-x"))
        #expect(options.imu.countsSamples)
        #expect(
            options.imu.faults == [
                VirtualIMUFault(.late(.seconds(3)), start: .milliseconds(1_500), duration: .seconds(2))
            ])
        guard case .rotate(let rate) = options.imu.motion else {
            Issue.record("not rotate")
            return
        }
        #expect(rate == 0.5)
    }

    @Test(arguments: [
        ["--rate"], ["--rate", "0"], ["--rate=nan"], ["--axis", "w"], ["--axis", "xx"], ["--motion", "/none.csv"],
        ["--fault", "broken"], ["--fault", "late"], ["--fault", "zeros=-1"], ["--fault", "silent=1"],
        ["--fault", "die@x"], ["--turn", "fast"], ["--help=yes"], ["x"], ["--name", ""],
    ])
    func usage(_ arguments: [String]) {
        #expect(throws: UsageError.self) { try BenchIMUOptions(arguments: arguments) }
    }
}
