internal import Onstage
internal import OnstageCore
internal import OnstageMotion

/// A drawing of what motion sensors felt: a panel a sensor, a line an axis over the time, as SVG.
struct SensorPlot {
    private static let colors = ["#c0392b", "#27854a", "#2962a8"]
    private static let axes = ["x", "y", "z"]
    private static let width = 960.0
    private static let height = 220.0
    /// Of a panel's drawing within it.
    private static let (left, right, top, bottom) = (70.0, 940.0, 30.0, 190.0)

    private struct Panel {
        var kind: MotionKind
        var samples: [(time: MonotonicTime, value: SIMD3<Double>)] = []
        /// Those that came after the last that is drawn.
        var left = 0
    }

    /// Samples that are kept of each sensor: a quarter of an hour at 1 kHz.
    private static let limit = 1_000_000

    private var panels: [Panel]

    init(_ kinds: [MotionKind]) {
        panels = kinds.map { Panel(kind: $0) }
    }

    mutating func take(_ sample: MotionSample, of sensor: Int) {
        guard panels[sensor].samples.count < Self.limit else {
            panels[sensor].left += 1
            return
        }
        panels[sensor].samples.append((sample.timestamp, sample.value))
    }

    /// The drawing. All panels have the same time scale, from the first sample of any.
    func text(_ names: [String]) -> String {
        let height = Self.height * Double(panels.count)
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.number(Self.width)) \(Self.number(height))" \
            font-family="sans-serif" font-size="12">
            <rect width="100%" height="100%" fill="white"/>

            """
        let start = panels.compactMap(\.samples.first?.time).min() ?? MonotonicTime(nanoseconds: 0)
        let end = panels.compactMap(\.samples.last?.time).max() ?? start
        let seconds = max(FixedPoint.seconds(end - start), 0.001)
        for (index, panel) in panels.enumerated() {
            text += "<g transform=\"translate(0 \(Self.number(Self.height * Double(index))))\">\n"
            text += draw(panel, names[index], start, seconds) + "</g>\n"
        }
        return text + "</svg>\n"
    }

    private func draw(_ panel: Panel, _ name: String, _ start: MonotonicTime, _ seconds: Double) -> String {
        var text = label(Self.left, 18, "\(panel.kind.rawValue) \(name), \(panel.kind.unit)")
        if panel.left > 0 { text += label(Self.right, 18, "\(panel.left) more samples are not drawn", "end") }
        text += """
            <rect x="\(Self.number(Self.left))" y="\(Self.number(Self.top))" \
            width="\(Self.number(Self.right - Self.left))" height="\(Self.number(Self.bottom - Self.top))" \
            fill="none" stroke="#888"/>

            """
        let values = panel.samples.map(\.value)
        guard var low = values.map({ $0.min() }).min(), var high = values.map({ $0.max() }).max() else {
            return text + label((Self.left + Self.right) / 2, 110, "no sample", "middle")
        }
        // What stands still is a line in the middle, not its noise.
        let least = panel.kind == .accelerometer ? 0.5 : 0.1
        if high - low < least { (low, high) = ((low + high - least) / 2, (low + high + least) / 2) }
        text += label(Self.left - 6, Self.top + 10, FixedPoint.text(high, 2), "end")
        text += label(Self.left - 6, Self.bottom, FixedPoint.text(low, 2), "end")
        text += label(Self.left, Self.bottom + 16, "0 s")
        text += label(Self.right, Self.bottom + 16, FixedPoint.text(seconds, 2) + " s", "end")
        for axis in 0..<3 {
            text += label(
                Self.left + 240 + 24 * Double(axis), Self.bottom + 16, Self.axes[axis], "start", Self.colors[axis])
            text += "<polyline fill=\"none\" stroke=\"\(Self.colors[axis])\" points=\""
            var points = ""
            Self.thinned(panel.samples, axis, columns: Int(Self.right - Self.left)) { sample in
                let x = Self.left + (Self.right - Self.left) * FixedPoint.seconds(sample.time - start) / seconds
                let y = Self.bottom - (Self.bottom - Self.top) * (sample.value[axis] - low) / (high - low)
                points += "\(FixedPoint.text(x, 1)),\(FixedPoint.text(y, 1)) "
            }
            text += points + "\"/>\n"
        }
        return text
    }

    /// All of few samples; of more than fit, the least and the greatest of each column, in their order.
    private static func thinned(
        _ samples: [(time: MonotonicTime, value: SIMD3<Double>)], _ axis: Int, columns: Int,
        _ body: ((time: MonotonicTime, value: SIMD3<Double>)) -> Void
    ) {
        let step = samples.count / columns
        guard step > 2 else { return samples.forEach(body) }
        for begin in stride(from: 0, to: samples.count, by: step) {
            let column = begin..<min(begin + step, samples.count)
            guard let low = column.min(by: { samples[$0].value[axis] < samples[$1].value[axis] }),
                let high = column.max(by: { samples[$0].value[axis] < samples[$1].value[axis] })
            else { continue }
            body(samples[min(low, high)])
            if low != high { body(samples[max(low, high)]) }
        }
    }

    private func label(
        _ x: Double, _ y: Double, _ text: String, _ anchor: String = "start", _ color: String = "#333"
    ) -> String {
        "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor)\" fill=\"\(color)\">"
            + Self.escaped(text) + "</text>\n"
    }

    private static func number(_ value: Double) -> String { FixedPoint.text(value, 0) }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            default: text.append(character)
            }
        }
    }
}
