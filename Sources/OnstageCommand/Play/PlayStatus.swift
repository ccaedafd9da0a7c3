internal import Onstage
internal import OnstageCore

/// The line of `onstage play` on a terminal: what it does, how far it is, how loud, and what it is.
struct PlayStatus {
    var state: PlayerState
    var position: Int64
    var info: MediaInfo
    var volume: Double
    var isLooped: Bool
    var name: String
    var number: Int
    var count: Int

    private var word: String {
        switch state {
        case .idle: "stopped"
        case .opening(nil): "opening"
        case .opening: "waiting"
        case .buffering: "silent"
        case .playing: "playing"
        case .paused: "paused"
        case .ended: "ended"
        case .failed: "failed"
        @unknown default: "?"
        }
    }

    /// Tenths of a second are shown where the whole is short.
    private var isFine: Bool { info.hasLength && info.rate > 0 && info.frames < 30 * Int64(info.rate) }

    /// How long the line stands before it is another one; nil where only an event changes it.
    var lasts: Duration? {
        guard state == .playing, info.rate > 0 else { return nil }
        let step = Int64(info.rate) / (isFine ? 10 : 1)
        guard step > 0 else { return .seconds(1) }
        return .nanoseconds((step - position % step) * 1_000_000_000 / Int64(info.rate)) + .milliseconds(1)
    }

    /// What fits into so many columns.
    func text(columns: Int) -> String {
        var rest: [String] = []
        if info.hasLength { rest.append(time(info.frames)) }
        if volume != 1 { rest.append("\(FixedPoint.text(volume * 100, 0)) %") }
        if isLooped { rest.append("loop") }
        if count > 1 { rest.append("(\(number)/\(count))") }
        rest.append(name)
        var parts = [word.padded(to: 7), time(position)]
        if info.hasLength {
            // What is left by the others; a long name leaves something to it.
            let others = (parts + rest.dropLast()).reduce(0) { $0 + $1.count + 1 } + min(name.count, 24)
            let room = columns - others - 3
            if room >= 6 { parts.append(Gauge.text(position, of: info.frames, width: min(40, room))) }
        }
        return Self.cut((parts + rest).joined(separator: " "), columns)
    }

    private func time(_ frame: Int64) -> String {
        let text = MediaTime.text(frame, rate: info.rate)
        return isFine ? text : String(text.prefix { $0 != "." })
    }

    /// Cut at a column; what is not Latin may take two of them.
    static func cut(_ text: String, _ columns: Int) -> String {
        var (width, shown) = (0, "")
        for character in text {
            let scalar = character.unicodeScalars.first?.value ?? 0
            width += scalar < 0x1100 ? 1 : 2
            guard width <= columns else { break }
            shown.append(character)
        }
        return shown
    }
}
