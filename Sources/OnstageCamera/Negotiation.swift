internal import OnstageCore

/// What a camera answered to what was wished.
enum Negotiation: Hashable {
    case exact
    /// Something else is set, one reason a line.
    case adjusted([String])
    /// Nothing can be used, or exactly this was wanted, one reason a line.
    case impossible([String])

    /// What is set, as far as it can be wished.
    struct Setting: Hashable {
        var width: Int
        var height: Int
        var pixelFormat: PixelFormat
        /// Nil where the camera does not say.
        var rate: Hertz?
    }

    /// Compares every field: a driver adjusts where it cannot follow, and says success.
    init(wish: CameraConfiguration, set: Setting) {
        var reasons: [String] = []
        if let width = wish.width, let height = wish.height, (width, height) != (set.width, set.height) {
            reasons.append("asked for \(width)x\(height), \(set.width)x\(set.height) is set")
        }
        if let wished = wish.pixelFormat, wished != set.pixelFormat {
            reasons.append("asked for \(wished), \(set.pixelFormat) is set")
        }
        if let wished = wish.rate {
            if let rate = set.rate {
                if abs(rate.value - wished.value) > wished.value / 100 {
                    reasons.append("asked for \(Self.text(wished)) Hz, \(Self.text(rate)) Hz is set")
                }
            } else {
                reasons.append("asked for \(Self.text(wished)) Hz, but the camera has no rate to set")
            }
        }
        if set.width < 1 || set.height < 1 {
            self = .impossible(["the camera has no size"] + reasons)
        } else if reasons.isEmpty {
            self = .exact
        } else {
            self = wish.isExact ? .impossible(reasons) : .adjusted(reasons)
        }
    }

    var reasons: [String] {
        switch self {
        case .exact: []
        case .adjusted(let reasons), .impossible(let reasons): reasons
        }
    }

    /// "25", "29.97"
    static func text(_ rate: Hertz) -> String {
        let hundredths = Int((rate.value * 100).rounded())
        if hundredths % 100 == 0 { return "\(hundredths / 100)" }
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
