/// The last values of something in one line of text, as heights of blocks.
struct Sparkline {
    private static let blocks = Array("▁▂▃▄▅▆▇█")

    /// The least that the blocks' height stands for, above 0: what moves less lies flat.
    let span: Double
    /// Values kept.
    let width: Int
    private var values: [Double] = []

    init(width: Int, span: Double) {
        self.width = max(1, width)
        self.span = span
    }

    mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        if values.count == width { values.removeFirst() }
        values.append(value)
    }

    /// The last `width` of the values.
    func text(_ width: Int) -> String {
        let shown = values.suffix(max(0, width))
        guard let low = shown.min(), let high = shown.max() else { return "" }
        let middle = (low + high) / 2
        let reach = Swift.max(high - low, span, .leastNormalMagnitude)
        return String(
            shown.map { value in
                let height = (value - middle) / reach + 0.5
                return Self.blocks[min(Self.blocks.count - 1, max(0, Int(height * Double(Self.blocks.count))))]
            })
    }
}
