internal import Onstage
internal import OnstageCore
internal import OnstageMotion

/// One motion sensor that a command line means.
struct SensorPick: Hashable, Sendable {
    var kind: MotionKind
    var selector = MotionSelector.any
    var isSynthetic = false
}

/// What stands for a motion sensor on a command line.
enum SensorWord: Hashable, Sendable {
    case pick(SensorPick)
    /// Whatever is called so: an identity, name, label, node or path.
    case called(String)

    /// The words for it in a help text.
    static let help = """
        SENSOR: accelerometer or gyroscope, also with which of them behind a colon (gyroscope:label base; name, label,
        location or path); a name, label or node that onstage devices shows; or synthetic, synthetic:gyroscope.
        """

    /// - Throws: `UsageError`.
    init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let word = parts.first ?? ""
        if text.isEmpty { throw UsageError("an empty name is no sensor") }
        if word == Profile.synthetic {
            guard parts.count == 2 else {
                self = .pick(SensorPick(kind: .accelerometer, isSynthetic: true))
                return
            }
            guard let kind = MotionKind(rawValue: parts[1]) else {
                throw UsageError("\"\(parts[1])\" is no kind of sensor: accelerometer or gyroscope")
            }
            self = .pick(SensorPick(kind: kind, isSynthetic: true))
        } else if let kind = MotionKind(rawValue: word) {
            self = .pick(SensorPick(kind: kind, selector: parts.count == 2 ? try Self.selector(parts[1]) : .any))
        } else {
            self = .called(text)
        }
    }

    /// Which sensors are meant: more than one where a device feels several kinds of motion.
    ///
    /// - Parameter sensors: those of this machine; asked for only where it matters.
    /// - Throws: `absent` where none is called so, `configuration` where several of a kind are.
    func picks(among sensors: () -> [MotionSensor]) throws(DeviceError) -> [SensorPick] {
        let name: String
        switch self {
        case .pick(let pick): return [pick]
        case .called(let called): name = called
        }
        let there = sensors()
        let found = there.filter { [$0.identity, $0.name, $0.label, $0.node, $0.path].contains(name) }
        guard !found.isEmpty else {
            let names = there.map { "\($0.kind.rawValue) \($0.identity)" }.joined(separator: ", ")
            throw DeviceError(
                .absent, operation: "", device: name,
                reason: "it is not there; "
                    + (names.isEmpty ? "this machine has no motion sensor" : "there is \(names)"))
        }
        var picks: [SensorPick] = []
        for kind in MotionKind.allCases {
            let matching = found.filter { $0.kind == kind }
            if matching.isEmpty { continue }
            guard matching.count == 1 else {
                let nodes = matching.map(\.node).joined(separator: ", ")
                throw DeviceError(
                    .configuration, operation: "", device: name, reason: "\(matching.count) sensors are called so",
                    advice: "say which by its node (\(nodes))")
            }
            // By its place: the kernel's number changes when it is plugged in again.
            picks.append(SensorPick(kind: kind, selector: .path(matching[0].path)))
        }
        return picks
    }

    /// The one that is meant.
    /// - Throws: as ``picks(among:)``; `configuration` for a name that several kinds have.
    func one() throws(DeviceError) -> SensorPick {
        let found = try picks { MotionSensor.all() }
        guard found.count == 1, let pick = found.first else {
            throw DeviceError(
                .configuration, operation: "", device: "\(self)", reason: "it is \(found.map(\.kind.rawValue))",
                advice: "say which, as in gyroscope:name NAME")
        }
        return pick
    }

    private static func selector(_ text: String) throws(UsageError) -> MotionSelector {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("name", 2): return .name(parts[1])
        case ("label", 2): return .label(parts[1])
        case ("location", 2): return .location(parts[1])
        case ("path", 2): return .path(parts[1])
        default: throw UsageError("\"\(text)\" is none of name …, label …, location … and path …")
        }
    }
}

extension SensorWord: CustomStringConvertible {
    var description: String {
        switch self {
        case .pick(let pick): pick.kind.rawValue
        case .called(let name): name
        }
    }
}
