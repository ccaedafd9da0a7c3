/// Reads media-ctl's notation of links and formats, character by character.
struct MediaNotation {
    private let text: [Character]
    private var at = 0

    init(_ text: String) {
        self.text = Array(text)
    }

    /// One or more elements with commas between, up to the end of the text.
    mutating func list<Element>(
        _ element: (inout MediaNotation) throws(MediaNotationError) -> Element
    ) throws(MediaNotationError) -> [Element] {
        var all = [try element(&self)]
        while take(",") { all.append(try element(&self)) }
        skipBlanks()
        if at < text.count { throw fault("\"\(text[at])\" is not expected here") }
        return all
    }

    /// `pad -> pad [flag]`
    mutating func link() throws(MediaNotationError) -> MediaPipeline.Link {
        let source = try pad()
        try expect("->")
        let sink = try pad()
        try expect("[")
        let flag = try number(0...1, "1 (on) or 0 (off) is expected")
        try expect("]")
        return MediaPipeline.Link(source: source, sink: sink, isEnabled: flag == 1)
    }

    /// `pad [property property …]`
    mutating func setting() throws(MediaNotationError) -> MediaPipeline.PadSetting {
        var setting = MediaPipeline.PadSetting(pad: try pad())
        try expect("[")
        var isEmpty = true
        while !take("]") {
            try property(&setting)
            isEmpty = false
            _ = take(",")
        }
        if isEmpty { throw fault("a format, a rectangle or an interval is expected", at: at - 1) }
        return setting
    }

    // MARK: - Parts

    private mutating func pad() throws(MediaNotationError) -> MediaPipeline.Pad {
        let entity = try entity()
        try expect(":")
        guard let index = number(UInt16.self) else { throw fault("the number of a pad is expected") }
        return MediaPipeline.Pad(entity: entity, index: index)
    }

    private mutating func entity() throws(MediaNotationError) -> MediaPipeline.Entity {
        for quote in ["\"", "'"] as [Character] where take(String(quote)) {
            let start = at
            while at < text.count, text[at] != quote { at += 1 }
            guard at < text.count else { throw fault("the quote that ends the name is missing", at: start - 1) }
            let name = String(text[start..<at])
            guard !name.isEmpty else { throw fault("the name of an entity is expected", at: start) }
            // The kernel has room for so many.
            guard name.utf8.count < 32 else { throw fault("no entity has a name as long", at: start) }
            at += 1
            return .name(name)
        }
        guard let number = number(UInt32.self) else {
            throw fault("an entity is expected: its name in quotes, or its number")
        }
        return .number(number)
    }

    private mutating func property(_ setting: inout MediaPipeline.PadSetting) throws(MediaNotationError) {
        if take("fmt:") {
            setting.format = try format()
        } else if take("crop:") {
            setting.crop = try rectangle()
        } else if take("compose:") {
            setting.compose = try rectangle()
        } else if take("@") {
            setting.interval = try interval()
        } else if at < text.count, text[at] == "(" {
            // Old texts leave the word out.
            setting.crop = try rectangle()
        } else if let word = Self.words.first(where: { take("\($0.name):") }) {
            let start = at
            guard setting.format != nil else { throw fault("it belongs behind a format", at: start) }
            let name = String(self.word())
            guard let value = word.values.first(where: { $0.name == name }) else {
                let known = word.values.map(\.name).joined(separator: ", ")
                throw fault("\"\(name)\" is none of \(known)", at: start)
            }
            word.set(&setting, value.number)
        } else {
            throw fault("fmt:, crop:, compose:, @ or ] is expected")
        }
    }

    private mutating func format() throws(MediaNotationError) -> MediaPipeline.BusFormat {
        let start = at
        let name = String(word())
        guard let code = MediaBusFormat.code(name) else {
            throw fault(name.isEmpty ? "the code of a format is expected" : "\"\(name)\" is no format", at: start)
        }
        try expect("/")
        let (width, height) = try size()
        return MediaPipeline.BusFormat(code: code, width: width, height: height)
    }

    private mutating func rectangle() throws(MediaNotationError) -> MediaPipeline.Rectangle {
        try expect("(")
        guard let left = number(Int32.self) else { throw fault("a number is expected") }
        try expect(",")
        guard let top = number(Int32.self) else { throw fault("a number is expected") }
        try expect(")")
        try expect("/")
        let (width, height) = try size()
        return MediaPipeline.Rectangle(left: left, top: top, width: width, height: height)
    }

    private mutating func size() throws(MediaNotationError) -> (UInt32, UInt32) {
        let width = try number(1...65_535, "a width of 1 to 65535 is expected")
        try expect("x")
        return (width, try number(1...65_535, "a height of 1 to 65535 is expected"))
    }

    private mutating func interval() throws(MediaNotationError) -> MediaPipeline.Interval {
        let numerator = try number(1 ... .max, "a number above 0 is expected")
        try expect("/")
        let denominator = try number(1 ... .max, "a number above 0 is expected")
        return MediaPipeline.Interval(numerator: numerator, denominator: denominator)
    }

    // MARK: - Characters

    private mutating func skipBlanks() {
        while at < text.count, text[at] == " " { at += 1 }
    }

    /// Takes `token` if it comes next, blanks before it too.
    private mutating func take(_ token: String) -> Bool {
        skipBlanks()
        guard text[at...].starts(with: token) else { return false }
        at += token.count
        return true
    }

    private mutating func expect(_ token: String) throws(MediaNotationError) {
        if !take(token) { throw fault("\(token) is expected") }
    }

    /// Digits, and a sign before them where the type has one; nil, and nothing taken, for anything else.
    private mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        skipBlanks()
        var end = at
        if Number.isSigned, end < text.count, text[end] == "-" { end += 1 }
        while end < text.count, ("0"..."9").contains(text[end]) { end += 1 }
        guard let number = Number(String(text[at..<end])) else { return nil }
        at = end
        return number
    }

    /// A number of a range; else `message`, and where it begins.
    private mutating func number(_ range: ClosedRange<UInt32>, _ message: String) throws(MediaNotationError) -> UInt32 {
        skipBlanks()
        let start = at
        guard let number = number(UInt32.self), range.contains(number) else { throw fault(message, at: start) }
        return number
    }

    /// Letters, digits, "_" and "-".
    private mutating func word() -> ArraySlice<Character> {
        let start = at
        while at < text.count, text[at].isASCII, text[at].isLetter || text[at].isNumber || "_-".contains(text[at]) {
            at += 1
        }
        return text[start..<at]
    }

    /// The blanks before `position` are not what is wrong.
    private func fault(_ message: String, at position: Int? = nil) -> MediaNotationError {
        var place = position ?? at
        if position == nil { while place < text.count, text[place] == " " { place += 1 } }
        return MediaNotationError(
            position: place + 1, message: place < text.count ? message : "\(message), and the text ends")
    }
}

extension MediaNotation {
    /// A property whose values are names.
    private struct Word {
        let name: String
        let values: [(name: String, number: UInt32)]
        let set: @Sendable (inout MediaPipeline.PadSetting, UInt32) -> Void
    }

    /// In the kernel's order (linux/videodev2.h).
    private static let words: [Word] = [
        Word(
            name: "field",
            values: numbered(
                "any", "none", "top", "bottom", "interlaced", "seq-tb", "seq-bt", "alternate", "interlaced-tb",
                "interlaced-bt"),
            set: { $0.format?.field = $1 }),
        Word(
            name: "colorspace",
            values: numbered(
                "default", "smpte170m", "smpte240m", "rec709", "bt878", "470m", "470bg", "jpeg", "srgb", "oprgb",
                "bt2020", "raw", "dcip3"),
            set: { $0.format?.colorspace = $1 }),
        Word(
            name: "xfer",
            values: numbered("default", "709", "srgb", "oprgb", "smpte240m", "none", "dcip3", "smpte2084"),
            set: { $0.format?.transfer = UInt16($1) }),
        Word(
            name: "ycbcr",
            values: numbered(
                "default", "601", "709", "xv601", "xv709", "sycc", "bt2020", "bt2020c", "smpte240m"),
            set: { $0.format?.encoding = UInt16($1) }),
        Word(
            name: "quantization", values: numbered("default", "full-range", "lim-range"),
            set: { $0.format?.quantization = UInt16($1) }),
    ]

    private static func numbered(_ names: String...) -> [(name: String, number: UInt32)] {
        names.enumerated().map { ($1, UInt32($0)) }
    }
}
