/// Which motion a sensor feels.
@nonexhaustive
public enum MotionKind: String, Hashable, Sendable, CaseIterable {
    /// Acceleration in m/s²; at rest 9.80665 upwards.
    case accelerometer
    /// Turning in rad/s, counterclockwise seen from the tip of the axis.
    case gyroscope
}
