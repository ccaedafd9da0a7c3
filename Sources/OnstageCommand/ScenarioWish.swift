internal import OnstageCore

/// What a person, a scenario or `onstage ctl` can wish of a run.
enum Wish: Hashable, Sendable {
    /// The scene is to come into this state: active, inactive, background or suspended.
    case state(LifecycleState)
    case play
    case pause
    /// To this source frame, from 0.
    case seek(Int64)
    /// One word that says why; only one kind of resource, or all.
    case interrupt(reason: String, kind: ResourceKind?)
    case interruptEnded(shouldResume: Bool)
    /// The scene named ends; where none is named, the run.
    case end
}

/// A wish and the scene that it is for, as one line says it: `WISH [scene=NAME]`.
struct SceneWish: Hashable, Sendable {
    /// The scene of a wish that names none.
    static let mainScene = "main"

    var wish: Wish
    /// As named in the line; nil where it named none.
    var named: String?

    var scene: String { named ?? Self.mainScene }

    init(_ wish: Wish, scene: String? = nil) {
        self.wish = wish
        named = scene
    }

    /// Why a line is no wish.
    struct Refusal: Error, Hashable, CustomStringConvertible {
        /// What stands there.
        var found: String
        /// What could have.
        var expected: String

        var description: String { "\(found.isEmpty ? "nothing" : "\"\(shown)\"") where \(expected) was expected" }

        /// What stands there may be anything, a program that was sent to standard input by mistake too: its beginning, and
        /// nothing of it reaches a terminal as a control character.
        private var shown: String {
            let limit = 40
            var text = ""
            for scalar in found.unicodeScalars.prefix(limit) {
                let isControl = scalar.properties.generalCategory == .control
                text += isControl ? "\\u{\(String(scalar.value, radix: 16))}" : String(Character(scalar))
            }
            return found.unicodeScalars.dropFirst(limit).isEmpty ? text : text + "…"
        }
    }

    /// Reads a line of its own, as it comes from standard input or from `onstage ctl`.
    init(line: String) throws(Refusal) {
        try self.init(words: Self.words(line)[...])
    }

    /// Reads a line that has been cut into words.
    init(words: ArraySlice<String>) throws(Refusal) {
        var words = words
        let end = "the end of the line"
        let wishes = "active, inactive, background, suspended, play, pause, seek, interrupt, interrupt-ended or end"
        func next(_ expected: String) throws(Refusal) -> String {
            guard let word = words.first, !word.hasPrefix("scene=") else {
                throw Refusal(found: words.first ?? "", expected: expected)
            }
            words.removeFirst()
            return word
        }
        let word = try next(wishes)
        switch word {
        case "active": wish = .state(.active)
        case "inactive": wish = .state(.inactive)
        case "background": wish = .state(.background)
        case "suspended": wish = .state(.suspended)
        case "play": wish = .play
        case "pause": wish = .pause
        case "seek":
            let frames = "a frame number (a whole number from 0)"
            let number = try next(frames)
            guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let frame = Int64(number) else {
                throw Refusal(found: number, expected: frames)
            }
            wish = .seek(frame)
        case "interrupt":
            let reason = try next("a reason (one word)")
            var kind: ResourceKind?
            if let word = words.first, !word.hasPrefix("scene=") {
                words.removeFirst()
                kind = ResourceKind(rawValue: word)
                if kind == nil { throw Refusal(found: word, expected: "camera, motion, audio, scene=NAME or \(end)") }
            }
            wish = .interrupt(reason: reason, kind: kind)
        case "interrupt-ended":
            let word = try next("resume or stay")
            guard word == "resume" || word == "stay" else { throw Refusal(found: word, expected: "resume or stay") }
            wish = .interruptEnded(shouldResume: word == "resume")
        case "end": wish = .end
        default: throw Refusal(found: word, expected: wishes)
        }
        if let word = words.popFirst() {
            guard word.hasPrefix("scene=") else { throw Refusal(found: word, expected: "scene=NAME or \(end)") }
            let name = String(word.dropFirst("scene=".count))
            guard Self.isSceneName(name) else {
                throw Refusal(found: word, expected: "scene=NAME (1 to 64 letters, digits, \".\", \"_\" or \"-\")")
            }
            named = name
        }
        if let word = words.first { throw Refusal(found: word, expected: end) }
    }

    /// The words of a line, without its comment: what follows a `#` that begins a word.
    static func words(_ line: String) -> [String] {
        var words: [String] = []
        // By scalars: to Swift, "\r\n" is one character and neither of the two.
        let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" || scalar == "\r" || scalar == "\n"
        }
        for word in line.unicodeScalars.split(whereSeparator: isBlank) {
            if word.first == "#" { break }
            words.append(String(word))
        }
        return words
    }

    static func isSceneName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }
}

extension SceneWish: CustomStringConvertible {
    /// The line that reads back as this wish.
    var description: String {
        let text =
            switch wish {
            case .state(let state): state.rawValue
            case .play: "play"
            case .pause: "pause"
            case .seek(let frame): "seek \(frame)"
            case .interrupt(let reason, let kind): "interrupt \(reason)" + (kind.map { " \($0.rawValue)" } ?? "")
            case .interruptEnded(let shouldResume): "interrupt-ended \(shouldResume ? "resume" : "stay")"
            case .end: "end"
            }
        return named.map { "\(text) scene=\($0)" } ?? text
    }
}
