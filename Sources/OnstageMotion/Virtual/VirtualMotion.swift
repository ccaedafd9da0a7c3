internal import Glibc

/// How the virtual sensor is moved.
package enum VirtualMotion: Sendable {
    /// It lies still.
    case still
    /// It is shaken: 5 Hz, 20 m/s² and 2 rad/s at the most, on all axes.
    case shake
    /// It turns about the axis after the one that points up (z → x → y → z), so that gravity goes round.
    case rotate(radiansPerSecond: Double)
    /// What was written down once, over and over.
    case recording(MotionRecording)

    /// What the sensors feel at one moment: m/s² (9.80665 upwards when at rest) and rad/s.
    struct Moment: Hashable, Sendable {
        var acceleration: SIMD3<Double>
        var turn: SIMD3<Double>
    }

    /// Standard gravity in m/s².
    package static let gravity = 9.80665

    /// What is felt `seconds` after the sensor was switched on, with `up` pointing up at the start.
    func moment(at seconds: Double, up: VirtualAxis) -> Moment {
        var moment = Moment(acceleration: .zero, turn: .zero)
        moment.acceleration[up.index] = up.sign * Self.gravity
        switch self {
        case .still:
            break
        case .shake:
            let phase = 2 * Double.pi * 5 * seconds
            moment.acceleration += SIMD3(repeating: 20 * sin(phase))
            moment.turn = SIMD3(repeating: 2 * cos(phase))
        case .rotate(let rate):
            // What stands still, seen from a body that turns with w, goes round the other way: a' = -w × a.
            let axis = (up.index + 1) % 3
            let next = (up.index + 2) % 3
            moment.turn[axis] = rate
            moment.acceleration[up.index] = up.sign * Self.gravity * cos(rate * seconds)
            moment.acceleration[next] = up.sign * Self.gravity * sin(rate * seconds)
        case .recording(let recording):
            return recording.moment(at: seconds)
        }
        return moment
    }
}

/// The axis that points up at the start.
package struct VirtualAxis: Hashable, Sendable {
    /// 0, 1 or 2 for x, y or z.
    package let index: Int
    /// 1, or -1 where the axis points down.
    package let sign: Double

    /// From "x", "y", "z", "-x", "-y" or "-z".
    package init?(_ name: String) {
        guard let letter = name.last, let index = ["x", "y", "z"].firstIndex(of: String(letter)) else { return nil }
        guard name.count == 1 || (name.count == 2 && name.first == "-") else { return nil }
        self.index = index
        sign = name.count == 1 ? 1 : -1
    }

    package static let z = VirtualAxis(index: 2, sign: 1)

    private init(index: Int, sign: Double) {
        self.index = index
        self.sign = sign
    }
}
