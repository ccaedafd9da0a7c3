import OnstageCore
import Testing

@testable import OnstageMotion

/// Tables: I-19, which rate is set for which wish.
@Suite struct RateTests {
    @Test(
        arguments: [
            ("12.5 25 50 100", 50.0, [50.0]), ("12.5 25 50 100", 51, [100]), ("100 12.5 50 25", 1, [12.5]),
            ("12.5 25 50 100", 500, [100]), ("12.5 25 50 100", .infinity, [100]), ("66.67 200", 66.6675, [66.67]),
            ("[1 1 400]", 66.6, [67]), ("[1 1 400]", 67, [67]), ("[1 1 400]", 0.5, [1]),
            ("[1 1 400]", .infinity, [400]),
            ("[0.5 0.25 10]", 0.6, [0.75]), ("", 33, [33]), ("nonsense", 33, [33]), ("[1 2]", 33, [33]),
        ] as [(String, Double, [Double])])
    func choice(_ available: String, asked: Double, _ choices: [Double]) {
        #expect(AvailableRates(available).choices(asked) == choices)
    }

    @Test func nothingSaid() {
        #expect(AvailableRates(nil).choices(.infinity).first == 1_000)
    }

    @Test(arguments: [
        (50.0, "50"), (14.999925, "14.999925"), (12.5, "12.5"), (0.000001, "0.000001"), (1e-9, "0.000001"),
        (333.3333333, "333.333333"), (1e12, "1000000000"),
    ])
    func text(_ rate: Double, _ text: String) {
        #expect(SensorRate.text(rate) == text)
    }

    @Test(arguments: [
        ("game", 50.0), ("ui", 1_000 / 66.667), ("normal", 5.0), ("fastest", .infinity), ("12.5", 12.5),
    ])
    func names(_ name: String, hertz: Double) {
        #expect(MotionRate(name)?.hertz.value == hertz)
    }

    @Test(arguments: ["", "slow", "0", "-1", "nan", "inf", "1 Hz"])
    func noRate(_ name: String) {
        #expect(MotionRate(name) == nil)
    }

    @Test func mountMatrix() throws {
        let turned = try #require(MountMatrix("0, -1, 0; 1, 0, 0; 0, 0, -1"))
        let scale = AxisScale(SensorScale(offset: .zero, scale: SIMD3(repeating: 1), mount: turned))
        #expect(scale.mounted(SIMD3(1, 2, 3)) == SIMD3(-2, 1, -3))
        for text in ["", "1", "1,0,0;0,1,0", "1,0,0;0,1,0;0,0,x", "1,0,0;0,1,0;0,0,1;0,0,0", "1,0;0,1;0,0"] {
            #expect(MountMatrix(text) == nil, "\(text)")
        }
    }
}
