/// What is made of a B, G, R, A picture: first a part of it is taken, then scaled, turned and mirrored.
struct PixelShape: Hashable {
    var left = 0
    var top = 0
    var cutWidth: Int
    var cutHeight: Int
    /// After scaling, before turning.
    var width: Int
    var height: Int
    /// 0, 90, 180 or 270, clockwise.
    var degrees = 0
    var isMirrored = false

    /// Nothing is done.
    init(width: Int, height: Int) {
        (cutWidth, cutHeight, self.width, self.height) = (width, height, width, height)
    }

    /// - Parameter upright: by how many degrees the camera's pictures have to be turned.
    init(_ wish: FrameSink.Pixels, width: Int, height: Int, upright: Int) {
        self.init(width: width, height: height)
        degrees =
            switch wish.rotation {
            case .none: 0
            case .upright: upright
            case .quarter: 90
            case .half: 180
            case .threeQuarters: 270
            }
        isMirrored = wish.isMirrored
        guard var toWidth = wish.width, var toHeight = wish.height else { return }
        // The wish is for the turned picture.
        if isOnItsSide { swap(&toWidth, &toHeight) }
        switch wish.scaling {
        case .fit:
            // The side that would stick out decides.
            if toWidth * height <= toHeight * width {
                (self.width, self.height) = (toWidth, max(1, (toWidth * height + width / 2) / width))
            } else {
                (self.width, self.height) = (max(1, (toHeight * width + height / 2) / height), toHeight)
            }
        case .fill:
            (self.width, self.height) = (toWidth, toHeight)
            if toWidth * height <= toHeight * width {
                cutWidth = max(1, min(width, (height * toWidth + toHeight / 2) / toHeight))
                left = (width - cutWidth) / 2
            } else {
                cutHeight = max(1, min(height, (width * toHeight + toWidth / 2) / toWidth))
                top = (height - cutHeight) / 2
            }
        }
    }

    private var isOnItsSide: Bool { degrees == 90 || degrees == 270 }
    var isScaled: Bool { cutWidth != width || cutHeight != height }
    /// Whether the picture stays as it is.
    func isWhole(of width: Int, _ height: Int) -> Bool {
        !isScaled && degrees == 0 && !isMirrored && cutWidth == width && cutHeight == height
    }
    var finalWidth: Int { isOnItsSide ? height : width }
    var finalHeight: Int { isOnItsSide ? width : height }
}
