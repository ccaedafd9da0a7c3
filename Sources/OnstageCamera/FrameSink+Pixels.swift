extension FrameSink {
    /// What a sink is handed.
    public struct Pixels: Hashable, Sendable {
        /// How a picture becomes one of another size.
        public enum Scaling: String, Hashable, Sendable {
            /// As large as it can be within the size, all of it to be seen.
            case fit
            /// Exactly the size; what is too wide or too high is cut off on both sides.
            case fill
        }

        /// How a picture is turned, clockwise.
        public enum Rotation: Hashable, Sendable {
            /// As the sensor sees it.
            case none
            /// By what ``FrameInfo/rotation`` says, so that up is up.
            case upright
            case quarter
            case half
            case threeQuarters
        }

        var isNative: Bool
        /// Whether its frames are to be had as dma-bufs.
        var isExported = false
        var width: Int?
        var height: Int?
        var scaling = Scaling.fit
        var rotation = Rotation.none
        var isMirrored = false

        /// The frame as the device made it, without a pass over its pixels.
        public static let native = Pixels(isNative: true)
        /// The same, lent as dma-bufs too (``Frame/withDMABuffer(_:)``) where the driver can: where it cannot, a note says
        /// why, and the frames come without.
        public static let dmaBuffer = Pixels(isNative: true, isExported: true)
        /// B, G, R, A as the camera's size is, converted once a frame however many sinks ask.
        public static let bgra = Pixels(isNative: false)

        /// B, G, R, A of another size, turned or mirrored; made once a frame however many sinks ask for the same.
        ///
        /// - Parameters:
        ///   - width: of the picture that the sink gets, in pixels, 1…16384; nil with `height` for the camera's own.
        ///   - isMirrored: left and right exchanged, after turning: what a person expects of a picture of itself.
        public static func bgra(
            width: Int? = nil, height: Int? = nil, scaling: Scaling = .fit, rotation: Rotation = .none,
            isMirrored: Bool = false
        ) -> Pixels {
            if let width, let height {
                precondition(
                    (1...16384).contains(width) && (1...16384).contains(height), "\(width)x\(height) is no size")
            }
            let isWhole = width != nil && height != nil
            return Pixels(
                isNative: false, width: isWhole ? width : nil, height: isWhole ? height : nil, scaling: scaling,
                rotation: rotation, isMirrored: isMirrored)
        }
    }
}
