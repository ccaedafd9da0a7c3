import OnstageCore

@testable import OnstagePlayback

/// A WAV file put together from its parts, right or wrong.
struct WAVMaker {
    var bytes: [UInt8] = []

    static func word(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The body of a `fmt ` chunk; nil for what follows from the rest.
    static func format(
        tag: Int = 1, channels: Int = 2, rate: Int = 48_000, bits: Int = 16, align: Int? = nil, perSecond: Int? = nil,
        more: [UInt8] = []
    ) -> [UInt8] {
        let frame = align ?? channels * ((bits + 7) / 8)
        return word(tag, 2) + word(channels, 2) + word(rate, 4) + word(perSecond ?? rate * frame, 4) + word(frame, 2)
            + word(bits, 2) + more
    }

    /// An extended one: `valid` of `bits` bits count; the GUID's first two bytes are the tag.
    static func extended(
        tag: Int = 1, channels: Int = 2, bits: Int = 16, valid: Int? = nil, mask: Int = 3, size: Int = 22,
        guid: [UInt8]? = nil
    ) -> [UInt8] {
        let rest: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        let more = word(size, 2) + word(valid ?? bits, 2) + word(mask, 4) + (guid ?? word(tag, 2) + rest)
        return format(tag: 0xFFFE, channels: channels, bits: bits, more: more)
    }

    /// A chunk; `length` where its header is to say another one, `pads` where an odd one is to be padded.
    static func chunk(_ name: String, _ body: [UInt8], length: Int? = nil, pads: Bool = true) -> [UInt8] {
        Array(name.utf8) + word(length ?? body.count, 4) + body + (pads && body.count % 2 == 1 ? [0] : [])
    }

    static func riff(_ chunks: [[UInt8]], name: String = "RIFF", size: Int? = nil, form: String = "WAVE") -> [UInt8] {
        let body = Array(form.utf8) + chunks.flatMap(\.self)
        return Array(name.utf8) + word(size ?? body.count, 4) + body
    }

    /// Sound whose every byte differs from its neighbours.
    static func sound(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + $0 / 256 * 11 + 1) }
    }
}

/// A file and what it is to come to.
struct WAVCase: Sendable, CustomStringConvertible {
    enum Outcome: Sendable {
        /// So many frames, the first of which begins so many bytes into the file; odd or not.
        case plays(frames: Int64, from: Int, isOdd: Bool)
        /// So many frames that are decoded.
        case decodes(frames: Int64)
        /// Refused; the reason begins with these words.
        case refused(String)
    }

    var name: String
    var bytes: [UInt8]
    var outcome: Outcome
    var description: String { name }

    private static func plays(_ frames: Int64, from: Int, odd: Bool = false) -> Outcome {
        .plays(frames: frames, from: from, isOdd: odd)
    }

    private static func chunk(_ name: String, _ body: [UInt8], length: Int? = nil, pads: Bool = true) -> [UInt8] {
        WAVMaker.chunk(name, body, length: length, pads: pads)
    }

    private static func file(_ format: [UInt8], _ data: [UInt8]) -> [UInt8] {
        WAVMaker.riff([chunk("fmt ", format), data])
    }

    static let all: [WAVCase] = sizes + chunks + formats + numbers + others + large

    private static let sound = WAVMaker.sound(1920)
    private static let plain = chunk("fmt ", WAVMaker.format())

    private static let sizes: [WAVCase] = [
        WAVCase(
            name: "W-01 a RIFF size of 0, as a pipe leaves it",
            bytes: WAVMaker.riff([plain, chunk("data", sound)], size: 0),
            outcome: plays(480, from: 44, odd: true)),
        WAVCase(
            name: "W-01 both sizes unknown",
            bytes: WAVMaker.riff([plain, chunk("data", sound, length: 0xFFFF_FFFF)], size: 0xFFFF_FFFF),
            outcome: plays(480, from: 44, odd: true)),
        WAVCase(
            name: "W-01 both sizes 0x7FFFFFFF",
            bytes: WAVMaker.riff([plain, chunk("data", sound, length: 0x7FFF_FFDB)], size: 0x7FFF_FFFF),
            outcome: plays(480, from: 44, odd: true)),
        WAVCase(
            name: "W-01 W-02 a data size beyond the file's end",
            bytes: WAVMaker.riff([plain, chunk("data", sound, length: 1_000_000)]),
            outcome: plays(480, from: 44, odd: true)),
        WAVCase(
            name: "W-02 cut in the midst of a frame, and the sizes with it",
            bytes: WAVMaker.riff([plain, chunk("data", Array(sound[..<403]), pads: false)]),
            outcome: plays(100, from: 44)),
        WAVCase(
            name: "W-02 cut in the midst of the header",
            bytes: Array(WAVMaker.riff([plain, chunk("data", sound)])[..<30]),
            outcome: .refused("fmt: too short")),
        WAVCase(
            name: "W-02 cut right behind the data chunk's header",
            bytes: WAVMaker.riff([plain, chunk("data", [], length: 1920)]), outcome: plays(0, from: 44, odd: true)),
        WAVCase(name: "W-03 no data chunk at all", bytes: WAVMaker.riff([plain]), outcome: .refused("no data chunk")),
    ]

    private static let chunks: [WAVCase] = [
        WAVCase(
            name: "W-05 the word \"data\" inside another chunk",
            bytes: WAVMaker.riff([plain, chunk("LIST", Array("INFOdatadata".utf8)), chunk("data", sound)]),
            outcome: plays(480, from: 64)),
        WAVCase(
            name: "W-05 an odd chunk with its padding",
            bytes: WAVMaker.riff([plain, chunk("LIST", [1, 2, 3]), chunk("data", sound)]),
            outcome: plays(480, from: 56)),
        WAVCase(
            name: "W-05 chunks behind the sound are not played",
            bytes: WAVMaker.riff([plain, chunk("data", sound), chunk("LIST", WAVMaker.sound(400))]),
            outcome: plays(480, from: 44)),
        WAVCase(
            name: "W-05 a second data chunk is not played",
            bytes: WAVMaker.riff([plain, chunk("data", sound), chunk("data", sound)]),
            outcome: plays(480, from: 44)),
        WAVCase(
            name: "W-08 the sound before its format", bytes: WAVMaker.riff([chunk("data", sound), plain]),
            outcome: .refused("data chunk before fmt")),
    ]

    private static let formats: [WAVCase] = [
        WAVCase(
            name: "W-06 fmt of 18 bytes with an extension of 0",
            bytes: file(WAVMaker.format(more: [0, 0]), chunk("data", sound)), outcome: plays(480, from: 46)),
        WAVCase(
            name: "W-06 EXTENSIBLE of 40 bytes", bytes: file(WAVMaker.extended(), chunk("data", sound)),
            outcome: plays(480, from: 68)),
        WAVCase(
            name: "W-07 A-15 24 bits that count, in 32",
            bytes: file(WAVMaker.extended(bits: 32, valid: 24), chunk("data", sound)),
            outcome: plays(240, from: 68)),
        WAVCase(
            name: "W-06 µ-law is decoded",
            bytes: file(WAVMaker.format(tag: 7, channels: 1, rate: 8_000, bits: 8), chunk("data", sound)),
            outcome: .decodes(frames: 1920)),
        WAVCase(
            name: "W-06 a codec that nobody knows is no noise",
            bytes: file(WAVMaker.format(tag: 0x1234), chunk("data", sound)),
            outcome: .refused("unsupported WAV format tag 0x1234")),
        WAVCase(
            name: "W-06 EXTENSIBLE with a codec that nobody knows",
            bytes: file(WAVMaker.extended(guid: Array(repeating: 0xAB, count: 16)), chunk("data", sound)),
            outcome: .refused("unsupported WAV format tag 0xABAB")),
        WAVCase(
            name: "W-12 8 bits are unsigned",
            bytes: file(WAVMaker.format(channels: 1, bits: 8), chunk("data", [128, 0, 255, 129])),
            outcome: plays(4, from: 44)),
    ]

    private static let numbers: [WAVCase] = [
        WAVCase(
            name: "W-09 no channels", bytes: file(WAVMaker.format(channels: 0), chunk("data", sound)),
            outcome: .refused("fmt: 0 channels")),
        WAVCase(
            name: "W-09 65,535 channels",
            bytes: file(WAVMaker.format(channels: 65_535, align: 4), chunk("data", sound)),
            outcome: .refused("fmt: 65535 channels out of range")),
        WAVCase(
            name: "W-09 a rate of 0", bytes: file(WAVMaker.format(rate: 0), chunk("data", sound)),
            outcome: .refused("fmt: sample rate 0 out of range")),
        WAVCase(
            name: "W-09 a rate of 2³¹", bytes: file(WAVMaker.format(rate: 1 << 31, perSecond: 0), chunk("data", sound)),
            outcome: .refused("fmt: sample rate 2147483648 out of range")),
        WAVCase(
            name: "W-09 no bits", bytes: file(WAVMaker.format(bits: 0, align: 4), chunk("data", sound)),
            outcome: .refused("fmt: 0 bits per sample")),
        WAVCase(
            name: "W-09 200 bits", bytes: file(WAVMaker.format(bits: 200), chunk("data", sound)),
            outcome: .refused("fmt: 200 bits per sample")),
        WAVCase(
            name: "W-09 a byte rate that is wrong is nobody's business",
            bytes: file(WAVMaker.format(perSecond: 25_856), chunk("data", sound)),
            outcome: plays(480, from: 44)),
    ]

    private static let others: [WAVCase] = [
        WAVCase(
            name: "W-10 text", bytes: Array("This is no sound at all, it only says so.\n".utf8),
            outcome: .refused("it is no sound file")),
        WAVCase(
            name: "W-10 a picture", bytes: [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + WAVMaker.sound(2000),
            outcome: .refused("it is no sound file")),
        WAVCase(
            name: "W-10 RIFF and nothing more", bytes: Array("RIFF".utf8),
            outcome: .refused("the file is too short (4 bytes)")),
        WAVCase(
            name: "W-10 a RIFF of another kind", bytes: WAVMaker.riff([chunk("fmt ", WAVMaker.format())], form: "AVI "),
            outcome: .refused("RIFF form is \"AVI \", not \"WAVE\"")),
        WAVCase(
            name: "W-10 zeros, as a power cut leaves them", bytes: Array(repeating: 0, count: 100_000),
            outcome: .refused("it holds nothing but zeros")),
    ]

    /// RF64 with a `ds64` that gives the size of the file and of the sound.
    private static func rf64(_ riff: Int, _ data: Int, _ tail: [UInt8]) -> [UInt8] {
        let sizes = WAVMaker.word(riff, 8) + WAVMaker.word(data, 8) + WAVMaker.word(data / 4, 8) + WAVMaker.word(0, 4)
        return WAVMaker.riff([chunk("ds64", sizes), plain, tail], name: "RF64", size: 0xFFFF_FFFF)
    }

    private static let large: [WAVCase] = [
        WAVCase(
            name: "W-04 RF64 with the sizes in its ds64",
            bytes: rf64(1992, 1920, chunk("data", sound, length: 0xFFFF_FFFF)),
            outcome: plays(480, from: 80)),
        WAVCase(
            name: "W-04 W-11 RF64 whose ds64 leads beyond the file",
            bytes: rf64(1 << 40, 1 << 40, chunk("data", sound, length: 0xFFFF_FFFF)),
            outcome: plays(480, from: 80, odd: true)),
    ]
}
