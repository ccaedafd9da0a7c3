@testable import OnstageCamera

/// The 75 % colour bars that vivid and vimc draw, from left to right, as red, green, blue.
enum ColorBars {
    static let bars = [
        (191, 191, 191), (191, 191, 0), (0, 191, 191), (0, 191, 0), (191, 0, 191), (191, 0, 0), (0, 0, 191), (0, 0, 0),
    ]

    /// The bars that a B, G, R, A picture does not have in their places, at the height of `rows`.
    static func missing(in picture: Picture, rows: [Int]) -> [String] {
        var missing: [String] = []
        for row in rows {
            for (index, bar) in bars.enumerated() {
                let column = (index * 2 + 1) * picture.width / 16
                let found = picture.withUnsafeBytes { bytes in
                    let place = row * picture.stride() + column * 4
                    return (Int(bytes[place + 2]), Int(bytes[place + 1]), Int(bytes[place]))
                }
                if abs(found.0 - bar.0) > 8 || abs(found.1 - bar.1) > 8 || abs(found.2 - bar.2) > 8 {
                    missing.append("bar \(index) in row \(row): \(found)")
                }
            }
        }
        return missing
    }
}
