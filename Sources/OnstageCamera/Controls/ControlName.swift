internal import CV4L2

/// Which control is meant: by the kernel's number, which all drivers share, or by name.
public struct ControlName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The kernel's number; 0 when only the name is known.
    let id: UInt32
    public let description: String

    /// By the name that `onstage camera NAME --controls` shows. Kernels have renamed a few: both names are taken.
    public init(_ name: String) {
        id = 0
        description = Self.normal(name)
    }

    public init(stringLiteral name: String) { self.init(name) }

    private init(_ id: Int, _ name: String) {
        self.id = UInt32(id)
        description = name
    }

    public static let brightness = ControlName(Self.user + 0, "brightness")
    public static let contrast = ControlName(Self.user + 1, "contrast")
    public static let saturation = ControlName(Self.user + 2, "saturation")
    public static let hue = ControlName(Self.user + 3, "hue")
    /// On or off.
    public static let whiteBalanceAutomatic = ControlName(Self.user + 12, "white_balance_automatic")
    /// On or off.
    public static let gainAutomatic = ControlName(Self.user + 18, "gain_automatic")
    public static let gain = ControlName(Self.user + 19, "gain")
    /// A menu: disabled, 50 Hz, 60 Hz, and auto where there is one.
    public static let powerLineFrequency = ControlName(Self.user + 24, "power_line_frequency")
    /// In kelvin.
    public static let whiteBalanceTemperature = ControlName(Self.user + 26, "white_balance_temperature")
    /// A menu of up to four.
    public static let exposureAutomatic = ControlName(Self.camera + 1, "auto_exposure")
    /// In units of 100 µs.
    public static let exposureTime = ControlName(Self.camera + 2, "exposure_time_absolute")
    public static let focus = ControlName(Self.camera + 10, "focus_absolute")
    /// On or off.
    public static let focusAutomatic = ControlName(Self.camera + 12, "focus_automatic_continuous")

    private static let user = 0x0098_0900
    private static let camera = 0x009a_0900

    func names(_ control: CameraControl) -> Bool {
        if id != 0 { return control.id == id }
        return control.name == description || Self.renamed[description] == control.name
    }

    /// A driver's title as a name.
    static func normal(_ title: String) -> String {
        var name = ""
        var gap = false
        for scalar in title.unicodeScalars {
            let isKept = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
            if isKept {
                if gap, !name.isEmpty { name += "_" }
                name.unicodeScalars.append(scalar)
            }
            gap = !isKept
        }
        return name.lowercased()
    }

    /// Names that are out of use or to come, by the other.
    private static let renamed: [String: String] = {
        let pairs = [
            ("exposure_auto", "auto_exposure"), ("exposure_absolute", "exposure_time_absolute"),
            ("exposure_auto_priority", "exposure_dynamic_framerate"),
            ("white_balance_temperature_auto", "white_balance_automatic"), ("focus_auto", "focus_automatic_continuous"),
        ]
        var both: [String: String] = [:]
        for (old, new) in pairs { (both[old], both[new]) = (new, old) }
        return both
    }()
}
