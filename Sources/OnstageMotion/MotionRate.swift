public import OnstageCore

/// How often a motion sensor is to be read. A wish: the device runs at its nearest rate that is not lower.
public enum MotionRate: Hashable, Sendable {
    /// As often as the device can.
    case fastest
    /// Every 20 ms.
    case game
    /// Every 66.667 ms.
    case ui
    /// Every 200 ms.
    case normal
    /// So many times a second.
    case hertz(Double)

    /// "fastest", "game", "ui", "normal", or a number of Hz above 0; nil for anything else.
    public init?(_ text: String) {
        switch text {
        case "fastest": self = .fastest
        case "game": self = .game
        case "ui": self = .ui
        case "normal": self = .normal
        default:
            guard let number = Double(text), number > 0, number.isFinite else { return nil }
            self = .hertz(number)
        }
    }

    /// The rate; infinite for ``fastest``.
    public var hertz: Hertz {
        switch self {
        case .fastest: Hertz(.infinity)
        case .game: Hertz(50)
        case .ui: Hertz(1_000 / 66.667)
        case .normal: Hertz(5)
        case .hertz(let value): Hertz(value)
        }
    }
}
