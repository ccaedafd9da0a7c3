/// What was seen in a sensor's samples, counted since the resource was made.
package struct MotionStatistics: Hashable, Sendable {
    /// The rate since the last acquire by the samples' own times, in Hz; 0 before there are two.
    package var rate: Double = 0
    /// Steps of more than two and a half periods.
    package var gaps: UInt64 = 0
    /// Samples with the time and the numbers of the one before; not handed on.
    package var duplicates: UInt64 = 0
    /// Zeros of an accelerometer before its first true sample; not handed on.
    package var leadingZeros: UInt64 = 0
    /// Samples whose time lies before that of the one before.
    package var backwards: UInt64 = 0
    /// Times that the sensor was switched off and on because it had fallen silent.
    package var restarts: UInt64 = 0

    package init() {}
}
