/// Which of a machine's sensors of one kind is meant.
public enum MotionSelector: Hashable, Sendable {
    /// The first: one with the label or location of a display before others, then by the kernel's number.
    case any
    /// By the IIO name of its driver ("accel_3d", "bmi160").
    case name(String)
    /// By its label ("accel-display", "accel-base").
    case label(String)
    /// By its place: its node, its folder below /sys, or any part of the real path of that folder.
    case path(String)
    /// By its `location` ("lid", "base").
    case location(String)
}
