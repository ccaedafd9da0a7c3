internal import Onstage
internal import OnstageCore

/// How sizes, formats and rates are written on a command line.
enum CameraWords {
    /// "640x480"
    static func size(_ text: String, _ option: String) throws(UsageError) -> (Int, Int) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (1...65535).contains(width), (1...65535).contains(height)
        else { throw UsageError("\(option) \(text) is no size (such as 640x480)") }
        return (width, height)
    }

    /// "YUYV"
    static func pixelFormat(_ text: String, _ option: String) throws(UsageError) -> PixelFormat {
        guard let format = PixelFormat(text) else {
            throw UsageError("\(option) \(text) is no fourcc (such as YUYV or MJPG)")
        }
        return format
    }

    /// "29.97", "30000/1001"
    static func rate(_ text: String, _ option: String) throws(UsageError) -> Hertz {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
        let values = parts.compactMap(\.self)
        guard (1...2).contains(parts.count), values.count == parts.count, values.allSatisfy({ $0 > 0 && $0.isFinite })
        else { throw UsageError("\(option) \(text) is no rate (such as 25 or 30000/1001)") }
        let rate = values[0] / (values.count > 1 ? values[1] : 1)
        guard rate <= 10_000 else { throw UsageError("\(option) \(text) is more than 10000 Hz") }
        return Hertz(rate)
    }

    /// "gain=3", as often as the option `name` was given.
    static func settings(_ parsed: ParsedOptions, _ name: String) throws(UsageError) -> [ControlSetting] {
        var settings: [ControlSetting] = []
        for text in parsed.given[name] ?? [] {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !ControlName(parts[0]).description.isEmpty else {
                throw UsageError("--\(name) \(text) is not CONTROL=VALUE")
            }
            settings.append(ControlSetting(ControlName(parts[0]), ControlValue(parts[1])))
        }
        return settings
    }
}
