internal import Onstage
internal import OnstageCore
internal import OnstageMotion

/// Samples as lines of text.
struct SensorLines {
    private let form: SensorsOptions.Form
    private let kinds: [MotionKind]
    private var pairing = MotionPairing()
    private var start: MonotonicTime?

    init(_ form: SensorsOptions.Form, _ kinds: [MotionKind]) {
        self.form = form
        self.kinds = kinds
    }

    /// Why these sensors make no table for ``SensorsOptions/Form/csv``; nil where they do.
    static func whyNoTable(_ kinds: [MotionKind]) -> String? {
        for kind in MotionKind.allCases where kinds.count(where: { $0 == kind }) > 1 {
            return "there are \(kinds.count(where: { $0 == kind })) sensors of the kind \(kind.rawValue): say which one"
        }
        return nil
    }

    /// Before the first sample.
    var head: String {
        guard form == .csv else { return "" }
        return kinds.count > 1 ? "time,ax,ay,az,gx,gy,gz\n" : "time,x,y,z\n"
    }

    mutating func text(_ readings: [SensorSession.Reading]) -> String {
        var text = ""
        for (_, sample) in readings {
            switch form {
            case .lines:
                text += "\(seconds(sample.timestamp)) \(sample.kind.rawValue) "
                text += Self.axes(sample.value, 4, " ") + " \(sample.kind.unit)\n"
            case .json: text += json(sample).line + "\n"
            case .csv where kinds.count > 1: text += rows(pairing.take(sample))
            case .csv: text += "\(seconds(sample.timestamp)),\(Self.axes(sample.value, 6, ","))\n"
            }
        }
        return text
    }

    /// What has waited for more.
    mutating func end() -> String { rows(pairing.finish()) }

    private mutating func rows(_ pairs: [MotionPair]) -> String {
        pairs.reduce(into: "") { text, pair in
            text += "\(seconds(pair.timestamp)),\(Self.axes(pair.acceleration, 6, ",")),"
            text += "\(Self.axes(pair.rotation, 6, ","))\n"
        }
    }

    private func json(_ sample: MotionSample) -> JSONValue {
        [
            "kind": .text(sample.kind.rawValue), "time": .integer(sample.timestamp.nanoseconds),
            "sequence": .integer(Int64(clamping: sample.sequence)),
            "value": .list(sample.value.axes.map { .number($0) }),
            "raw": .list(sample.raw.axes.map { .integer($0) }),
        ]
    }

    /// Since the first that was told.
    private mutating func seconds(_ time: MonotonicTime) -> String {
        let first = start ?? time
        start = first
        return FixedPoint.text(FixedPoint.seconds(time - first), 6)
    }

    static func axes(_ value: SIMD3<Double>, _ decimals: Int, _ separator: String) -> String {
        value.axes.map { FixedPoint.text($0, decimals) }.joined(separator: separator)
    }
}

extension MotionKind {
    /// Of its values.
    var unit: String { self == .accelerometer ? "m/s²" : "rad/s" }
}
