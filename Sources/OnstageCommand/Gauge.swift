/// How far a sound is, as a bar: "[####------]".
enum Gauge {
    /// - Parameter width: columns between the brackets.
    static func text(_ position: Int64, of frames: Int64, width: Int) -> String {
        let done = frames > 0 ? Int(Double(position) / Double(frames) * Double(width)) : 0
        let filled = min(width, max(0, done))
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "]"
    }
}
