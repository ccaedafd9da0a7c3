internal import OnstageCore

/// Where a device keeps its rate, and how it is set.
struct SensorRate {
    private let tree: IIOTree
    /// The attributes to set, all of them: one of the device or of the kind, or one of each axis.
    private let files: [String]
    private let available: AvailableRates
    /// What the device ran at when it was asked last, in Hz; nil when it did not say. A HID sensor is asked across its bus.
    private(set) var real: Double?

    init(_ sensor: IIOSensor, trigger: String?, tree: IIOTree) {
        self.tree = tree
        let places = [
            ["\(sensor.folder)/\(sensor.prefix)_sampling_frequency"],
            ["x", "y", "z"].map { "\(sensor.folder)/\(sensor.prefix)_\($0)_sampling_frequency" },
            ["\(sensor.folder)/sampling_frequency"],
            ["\(sensor.folder)/buffer/sampling_frequency"],
        ]
        if let found = places.first(where: { $0.contains { tree.exists($0) } }) {
            files = found.filter { tree.exists($0) }
        } else if let trigger, let folder = tree.triggerFolder(trigger), tree.exists("\(folder)/sampling_frequency") {
            files = ["\(folder)/sampling_frequency"]
        } else {
            files = []
        }
        available = AvailableRates(files.first.flatMap { tree.attribute("\($0)_available") })
    }

    /// Asks what the device runs at, in Hz; nil when it does not say.
    @discardableResult
    mutating func read() -> Double? {
        real = files.first.flatMap { tree.number($0) }.flatMap { $0 > 0 ? $0 : nil }
        return real
    }

    /// Sets the nearest rate that is not lower than `asked` (infinite for the fastest).
    /// - Returns: the errno and the attribute of a refusal that has to do with rights or a device that has gone or is
    ///   busy, and what is to be told of anything else.
    mutating func set(_ asked: Double) -> (refusal: (errno: Int32, path: String)?, note: String?) {
        guard !files.isEmpty else { return (nil, "the device has no rate to be set") }
        var note: String?
        for rate in available.choices(asked) {
            let text = Self.text(rate)
            var last: (errno: Int32, path: String)?
            var isWritten = false
            for (place, file) in files.enumerated() {
                let before = tree.number(file)
                if place == 0 { real = before.flatMap { $0 > 0 ? $0 : nil } }
                if let before, abs(before - rate) <= rate * 1e-7 { continue }
                isWritten = true
                let errno = tree.write(text, to: file)
                if errno != 0 { last = (errno, file) }
            }
            if isWritten { read() }
            guard let last else { return (nil, Self.shortfall(asked, real: real)) }
            switch last.errno {
            case Errno.EACCES, Errno.ENODEV, Errno.ENOENT, Errno.EBUSY: return (last, nil)
            default: note = "a rate of \(text) Hz was refused (\(Errno.name(last.errno)))"
            }
        }
        return (nil, note)
    }

    private static func shortfall(_ asked: Double, real: Double?) -> String? {
        guard let real, asked.isFinite, real < asked * 0.99 else { return nil }
        return "asked for \(text(asked)) Hz, the device has at most \(text(real)) Hz"
    }

    /// With six decimals at most, never with an exponent: what the kernel reads.
    static func text(_ rate: Double) -> String {
        let millionths = Int64((min(max(rate, 0.000001), 1e9) * 1e6).rounded())
        let (whole, rest) = millionths.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return String(whole) }
        var digits = String(repeating: "0", count: 6 - String(rest).count) + String(rest)
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}
