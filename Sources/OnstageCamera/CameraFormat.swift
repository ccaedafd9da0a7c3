public import OnstageCore

/// A pixel format that a camera has, with its sizes.
public struct CameraFormat: Hashable, Sendable {
    public var pixelFormat: PixelFormat
    /// For people, as the driver says.
    public var title: String
    /// Whether frames have to be decoded.
    public var isCompressed: Bool
    /// Whether frames can be had as B, G, R, A.
    public var isConvertible: Bool
    /// Empty where the driver does not say.
    public var sizes: [Size]

    /// A size, or all sizes between two.
    public struct Size: Hashable, Sendable {
        /// In pixels; one number for a size of its own.
        public var width: ClosedRange<Int>
        /// In pixels.
        public var height: ClosedRange<Int>
        /// From one possible width to the next; 0 for a size of its own.
        public var widthStep = 0
        public var heightStep = 0
        /// The rates there are, the fastest first; for a range of sizes those of the largest.
        public var rates: [Hertz] = []
        /// Where the rate can be anything between two.
        public var rateRange: ClosedRange<Double>?
    }
}
