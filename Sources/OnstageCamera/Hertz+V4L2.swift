internal import CV4L2
internal import OnstageCore

extension Hertz {
    /// The rate of frames that are `period` apart; nil for what is no time.
    init?(_ period: v4l2_fract) {
        guard period.numerator > 0, period.denominator > 0 else { return nil }
        self.init(Double(period.denominator) / Double(period.numerator))
    }
}
