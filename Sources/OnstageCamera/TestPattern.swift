/// The picture of the synthetic camera: colour bars, a bar that moves, and the frame's number in black and white.
package enum TestPattern {
    /// The bars from left to right as red, green, blue.
    package static let bars: [(red: Int, green: Int, blue: Int)] = [
        (255, 255, 255), (255, 255, 0), (0, 255, 255), (0, 255, 0), (255, 0, 255), (255, 0, 0), (0, 0, 255), (0, 0, 0),
    ]
    /// Rows at the top that show the number, 32 fields from the highest bit to the lowest.
    package static let numberRows = 8
    /// Rows below it in which a white field moves.
    static let movingRows = 8

    /// Draws everything; later frames in the same memory only need ``update(_:layout:number:)``.
    static func draw(_ bytes: UnsafeMutableRawBufferPointer, layout: FrameLayout) {
        let stride = layout.planes[0].stride
        for row in 0..<layout.height {
            for column in Swift.stride(from: 0, to: layout.width, by: 2) {
                let bar = bars[min(7, column * 8 / layout.width)]
                put(bytes, layout, at: row * stride, column: column, bar)
            }
        }
    }

    static func update(_ bytes: UnsafeMutableRawBufferPointer, layout: FrameLayout, number: UInt32) {
        let stride = layout.planes[0].stride
        let place = Int(number) * 4 % max(1, layout.width)
        for column in Swift.stride(from: 0, to: layout.width, by: 2) {
            let bit = min(31, column * 32 / layout.width)
            let isSet = number & (1 << UInt32(31 - bit)) != 0
            put(bytes, layout, at: 0, column: column, isSet ? (255, 255, 255) : (0, 0, 0))
            let isHere = column >= place && column < place + 16
            put(bytes, layout, at: numberRows * stride, column: column, isHere ? (255, 255, 255) : (64, 64, 64))
        }
        // The other rows of both are copies of their first.
        var row = 1
        while row < numberRows + movingRows, row < layout.height {
            let first = row < numberRows ? 0 : numberRows
            if row != first {
                let from = UnsafeRawBufferPointer(rebasing: bytes[first * stride..<(first + 1) * stride])
                UnsafeMutableRawBufferPointer(rebasing: bytes[row * stride..<(row + 1) * stride]).copyMemory(from: from)
            }
            row += 1
        }
    }

    /// The number drawn in a native or a converted frame of the synthetic camera; nil when it cannot be read.
    package static func number(in frame: borrowing Frame) -> UInt32? {
        let (width, format) = (frame.width, frame.pixelFormat)
        guard width >= 64, format == .yuyv || format == .bgra else { return nil }
        return frame.withUnsafeBytes { bytes in
            var number: UInt32 = 0
            for bit in 0..<32 {
                let column = (bit * 2 + 1) * width / 64 / 2 * 2
                let light = bytes[format == .yuyv ? column * 2 : column * 4 + 1]
                if (64..<192).contains(light) { return nil }
                if light >= 192 { number |= 1 << UInt32(31 - bit) }
            }
            return number
        }
    }

    /// Two pixels of one colour, `row` bytes from the start.
    private static func put(
        _ bytes: UnsafeMutableRawBufferPointer, _ layout: FrameLayout, at row: Int, column: Int,
        _ color: (red: Int, green: Int, blue: Int)
    ) {
        if layout.pixelFormat == .yuyv {
            let (y, cb, cr) = yuv(color)
            let place = row + column * 2
            (bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]) = (y, cb, y, cr)
        } else {
            for place in [row + column * 4, row + column * 4 + 4] {
                (bytes[place], bytes[place + 1]) = (UInt8(color.blue), UInt8(color.green))
                (bytes[place + 2], bytes[place + 3]) = (UInt8(color.red), 255)
            }
        }
    }

    /// BT.601, limited range, in integers.
    static func yuv(_ c: (red: Int, green: Int, blue: Int)) -> (UInt8, UInt8, UInt8) {
        let y = (66 * c.red + 129 * c.green + 25 * c.blue + 128) / 256 + 16
        let cb = ((-38 * c.red - 74 * c.green + 112 * c.blue + 128) >> 8) + 128
        let cr = ((112 * c.red - 94 * c.green - 18 * c.blue + 128) >> 8) + 128
        return (UInt8(y), UInt8(cb), UInt8(cr))
    }
}
