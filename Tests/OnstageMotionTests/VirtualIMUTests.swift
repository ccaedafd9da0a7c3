import OnstageCore
import Testing

@testable import OnstageMotion

/// Tables: the virtual sensor's recordings and its physics.
@Suite struct VirtualIMUTests {
    @Test(arguments: [
        ("", 0), ("time,ax,ay,az,gx,gy,gz\n", 0), ("0,0,0,9.8,0,0,0\n1,2,3\n", 2), ("# x\n\n0,0,0,nan,0,0,0", 3),
        ("0,0,0,0,0,0,0\n0,0,0,0,0,0,0", 2), ("0,0,0,0,0,0,0\r\n1,0,0,0,0,0,x", 2), ("time,ax\n0,1,2,3,4,5,6,7", 2),
    ])
    func badRecording(_ text: String, line: Int) {
        let fault = #expect(throws: MotionRecording.Fault.self) { try MotionRecording(text) }
        #expect(fault?.line == line)
    }

    @Test func recording() throws {
        let recording = try MotionRecording(
            "time, ax, ay, az, gx, gy, gz\n5, 1, 2, 3, 4, 5, 6\n5.02, 7, 8, 9, 10, 11, 12\n")
        #expect(recording.moment(at: 0).acceleration == SIMD3(1, 2, 3))
        #expect(recording.moment(at: 0.0199999).turn == SIMD3(10, 11, 12))
        #expect(recording.moment(at: 0.0399999).turn == SIMD3(4, 5, 6))
        #expect(recording.moment(at: 0.06).acceleration == SIMD3(7, 8, 9))
    }

    /// Turning changes what is felt just as fast as the gyroscope says: a' = -w × a.
    @Test(arguments: ["x", "y", "z", "-x", "-y", "-z"])
    func rotation(_ axis: String) throws {
        let up = try #require(VirtualAxis(axis))
        let motion = VirtualMotion.rotate(radiansPerSecond: 0.7)
        let step = 1e-6
        for seconds in [0, 0.3, 1, 4] {
            let now = motion.moment(at: seconds, up: up)
            let next = motion.moment(at: seconds + step, up: up)
            let change = (next.acceleration - now.acceleration) / step
            let (w, a) = (now.turn, now.acceleration)
            let expected = SIMD3(w.z * a.y - w.y * a.z, w.x * a.z - w.z * a.x, w.y * a.x - w.x * a.y)
            for axis in 0..<3 { #expect(abs(change[axis] - expected[axis]) < 1e-4) }
            #expect(abs((a * a).sum().squareRoot() - VirtualMotion.gravity) < 1e-9)
        }
    }
}
