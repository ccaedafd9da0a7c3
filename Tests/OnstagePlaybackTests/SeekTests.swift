import CSndfile
import Glibc
import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

/// A kind of file, and how it is made.
struct SeekCase: Sendable, CustomStringConvertible {
    var name: String
    var format: Int
    var rate = 44_100
    var channels = 2
    var quality: Double?
    var content = SoundMaker.Content.lively
    /// By how much a sample may differ from what a decoding from the start gives.
    var tolerance: Float = 0

    var description: String { name }
    /// 200 random frames of each format; 60 of each way to make it that has faults of its own.
    var places: Int { name.contains(",") || name.hasSuffix("mono") ? 60 : 200 }

    private static func wav(_ sub: Int, _ name: String) -> SeekCase {
        SeekCase(name: "WAV \(name)", format: Int(SF_FORMAT_WAV) | sub)
    }

    /// One step of 16 bits.
    static let step: Float = 1 / 32_768

    static let all: [SeekCase] = {
        let (ogg, mpeg) = (Int(SF_FORMAT_OGG), Int(SF_FORMAT_MPEG) | Int(SF_FORMAT_MPEG_LAYER_III))
        let (vorbis, opus) = (ogg | Int(SF_FORMAT_VORBIS), ogg | Int(SF_FORMAT_OPUS))
        var all = [
            wav(Int(SF_FORMAT_PCM_U8), "8 bits"), wav(Int(SF_FORMAT_PCM_16), "16 bits"),
            wav(Int(SF_FORMAT_PCM_24), "24 bits"), wav(Int(SF_FORMAT_PCM_32), "32 bits"),
            wav(Int(SF_FORMAT_FLOAT), "float"), wav(Int(SF_FORMAT_DOUBLE), "double"),
            wav(Int(SF_FORMAT_ALAW), "A-law"), wav(Int(SF_FORMAT_ULAW), "µ-law"),
            wav(Int(SF_FORMAT_IMA_ADPCM), "IMA ADPCM"), wav(Int(SF_FORMAT_MS_ADPCM), "MS ADPCM"),
            SeekCase(name: "WAV GSM", format: Int(SF_FORMAT_WAV) | Int(SF_FORMAT_GSM610), rate: 8_000, channels: 1),
            SeekCase(name: "WAV G.721", format: Int(SF_FORMAT_WAV) | Int(SF_FORMAT_G721_32), rate: 8_000, channels: 1),
            SeekCase(name: "AIFF 16 bits", format: Int(SF_FORMAT_AIFF) | Int(SF_FORMAT_PCM_16)),
            SeekCase(name: "AIFF 24 bits", format: Int(SF_FORMAT_AIFF) | Int(SF_FORMAT_PCM_24)),
            SeekCase(name: "AU", format: Int(SF_FORMAT_AU) | Int(SF_FORMAT_PCM_16)),
            SeekCase(name: "W64", format: Int(SF_FORMAT_W64) | Int(SF_FORMAT_PCM_24)),
            SeekCase(name: "RF64", format: Int(SF_FORMAT_RF64) | Int(SF_FORMAT_PCM_16)),
            SeekCase(name: "CAF", format: Int(SF_FORMAT_CAF) | Int(SF_FORMAT_PCM_16)),
            SeekCase(name: "CAF ALAC", format: Int(SF_FORMAT_CAF) | Int(SF_FORMAT_ALAC_16)),
            SeekCase(name: "FLAC 16 bits", format: Int(SF_FORMAT_FLAC) | Int(SF_FORMAT_PCM_16)),
            SeekCase(name: "FLAC 24 bits", format: Int(SF_FORMAT_FLAC) | Int(SF_FORMAT_PCM_24), rate: 96_000),
            SeekCase(name: "Vorbis", format: vorbis),
            SeekCase(name: "Vorbis, the smallest", format: vorbis, quality: 1),
            SeekCase(name: "Vorbis, large", format: vorbis, rate: 96_000, quality: 0.1),
            SeekCase(name: "Vorbis, sparse mono", format: vorbis, rate: 48_000, channels: 1, content: .sparse),
            SeekCase(name: "Vorbis, 8 kHz", format: vorbis, rate: 8_000, channels: 1),
        ]
        for (name, rate, channels, quality, content) in [
            ("Opus", 48_000, 2, 0.5, SoundMaker.Content.lively), ("Opus mono", 48_000, 1, 0.9, .lively),
            ("Opus, sparse", 48_000, 1, 0.9, .sparse), ("Opus, 16 kHz", 16_000, 1, 0.9, .lively),
        ] {
            all.append(
                SeekCase(
                    name: name, format: opus, rate: rate, channels: channels, quality: quality, content: content,
                    tolerance: step))
        }
        for (name, rate, channels, quality, content) in [
            ("MP3", 44_100, 2, 0.5, SoundMaker.Content.lively), ("MP3, the smallest", 44_100, 2, 0.99, .lively),
            ("MP3 mono, sparse", 48_000, 1, 0.9, .sparse), ("MP3, 22,050 Hz", 22_050, 1, 0.9, .sparse),
            ("MP3, 8 kHz", 8_000, 1, 0.9, .sparse),
        ] {
            all.append(
                SeekCase(
                    name: name, format: mpeg, rate: rate, channels: channels, quality: quality, content: content,
                    tolerance: step))
        }
        return all
    }()
}

@Suite("Real C: going to a frame (A-23)", .serialized)
struct SeekTests {
    private let folder = Scratch()

    /// All of a file, one sample after the other.
    static func whole(_ media: any MediaSource) throws -> [Float] {
        try media.seek(to: 0)
        var all: [Float] = []
        while true {
            let piece = try read(media, 4096)
            if piece.isEmpty { return all }
            all += piece
        }
    }

    /// The next frames, as floats whatever they are.
    static func read(_ media: any MediaSource, _ frames: Int) throws -> [Float] {
        let channels = media.info.channels
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: frames * channels * 4, alignment: 16)
        defer { space.deallocate() }
        guard let start = space.baseAddress else { return [] }
        var came = 0
        while came < frames {
            let more = try media.read(into: start + came * channels * media.format.bytes, frames: frames - came)
            if more == 0 { break }
            came += more
        }
        // An array of nothing is one for all threads: written at the same time by two, as the thread sanitizer sees it.
        guard came > 0 else { return [] }
        return [Float](unsafeUninitializedCapacity: came * channels) { floats, count in
            guard let to = floats.baseAddress else { return }
            var index = 0
            while index < came * channels {
                switch media.format {
                case .s16: to[index] = Float(start.load(fromByteOffset: 2 * index, as: Int16.self)) / 32_768
                case .s24, .s32:
                    to[index] = Float(start.load(fromByteOffset: 4 * index, as: Int32.self)) / 2_147_483_648
                case .float: to[index] = start.load(fromByteOffset: 4 * index, as: Float.self)
                }
                index += 1
            }
            count = came * channels
        }
    }

    /// Whether the frames from `frame` on are those of `all`; else the largest difference.
    private static func difference(_ piece: [Float], _ all: [Float], from first: Int) -> Float {
        guard first + piece.count <= all.count else { return .infinity }
        return piece.withUnsafeBufferPointer { piece in
            all.withUnsafeBufferPointer { all in
                var worst: Float = 0
                var index = 0
                while index < piece.count {
                    worst = max(worst, abs(piece[index] - all[first + index]))
                    index += 1
                }
                return worst
            }
        }
    }

    /// Goes to `count` random frames, near and far, and to both ends, and compares what comes there.
    private func judge(_ path: String, _ tolerance: Float, count: Int, _ name: String) throws {
        let all = try Self.whole(try SoundFile.open(path))
        let media = try SoundFile.open(path)
        let channels = media.info.channels
        let frames = all.count / channels
        #expect(media.info.frames == Int64(frames), "\(name): what is said is what comes")
        var chance = SplitMix64(seed: 23)
        var places = (0..<count).map { _ in Int.random(in: 0..<frames, using: &chance) }
        // Right behind the last one, a little further, and back: seeks that a decoder could take short cuts for.
        for index in stride(from: 3, to: count, by: 7) {
            places[index] = max(0, min(frames - 1, places[index - 1] + Int.random(in: -3000...90_000, using: &chance)))
        }
        places += [0, 1, frames - 1, max(0, frames - 600), 0]
        var wrong: [String] = []
        for place in places {
            try media.seek(to: Int64(place))
            let piece = try Self.read(media, 300)
            let worst = Self.difference(piece, all, from: place * channels)
            if worst > tolerance || piece.count != min(300, frames - place) * channels {
                wrong.append("\(place) of \(frames): off by \(worst)")
            }
        }
        #expect(wrong.isEmpty, "\(name): \(wrong.count) of \(places.count): \(wrong.prefix(5))")
        // To the end, and behind it.
        try media.seek(to: Int64(frames))
        #expect(try Self.read(media, 10).isEmpty, "\(name): behind the last frame")
    }

    @Test(
        "A-23: decoded from there is decoded from the start, at 200 random frames of each format",
        arguments: SeekCase.all)
    func seek(_ one: SeekCase) throws {
        let path = folder("sound")
        let frames = one.rate * 8 + 777
        try #require(
            SoundMaker.write(
                path, one.format, rate: one.rate, channels: one.channels, frames: frames, quality: one.quality,
                one.content),
            "libsndfile cannot write \(one.name)")
        try judge(path, one.tolerance, count: one.places, one.name)
    }

    @Test("an MP3 without an info frame is played to its end, and every frame of it is found")
    func noInfo() throws {
        let path = folder("whole.mp3")
        let format = Int(SF_FORMAT_MPEG) | Int(SF_FORMAT_MPEG_LAYER_III)
        try #require(SoundMaker.write(path, format, rate: 44_100, channels: 2, frames: 441_000, quality: 0.99, .sparse))
        var bytes = try #require(Fixture.bytes(path))
        let head = try #require(bytes.withUnsafeBytes { MPEGHead($0, isTagged: false) })
        #expect(head.hasLength)
        // The second frame is where the next header of the same kind stands.
        let second = try #require(
            (4..<4000).first { at in
                bytes[at..<(at + 2)].elementsEqual(bytes[0..<2]) && bytes[(at + 2)] & 0x0C == bytes[2] & 0x0C
                    && bytes[at + 3] & 0xC0 == bytes[3] & 0xC0
            })
        bytes.removeFirst(second)
        let bare = folder("bare.mp3")
        Fixture.write(bytes, to: bare)
        #expect(try #require(bytes.withUnsafeBytes { MPEGHead($0, isTagged: false) }).hasLength == false)
        let media = try SoundFile.open(bare)
        // All 1,152-frame blocks, with the encoder's delay that nobody tells of any more.
        #expect(media.info.frames >= 441_000)
        #expect(media.info.frames % 1152 == 0)
        try judge(bare, SeekCase.step, count: 60, "MP3 without an info frame")
        // A tag of a picture's size before it changes nothing.
        var tag: [UInt8] = [0x49, 0x44, 0x33, 3, 0, 0, 0, 0x09, 0x27, 0x40 + 10]
        tag += [UInt8](repeating: 0, count: 9 << 14 | 0x27 << 7 | 0x4A)
        let tagged = folder("tagged.mp3")
        Fixture.write(tag + bytes, to: tagged)
        #expect(try SoundFile.open(tagged).info.frames == media.info.frames)
        // In a WAV it is libsndfile that reads it.
        let wrapped = folder("wrapped.wav")
        Fixture.write(Self.wav(try #require(Fixture.bytes(path))), to: wrapped)
        #expect(try SoundFile.open(wrapped).info.frames == 441_000)
        try judge(wrapped, SeekCase.step, count: 60, "MP3 in a WAV")
        // Cut in the midst of a frame: what is whole is there.
        let cut = folder("cut.mp3")
        Fixture.write(Array(bytes.prefix(bytes.count / 2)), to: cut)
        #expect(try SoundFile.open(cut).info.frames < media.info.frames)
        try judge(cut, SeekCase.step, count: 30, "MP3 cut short")
    }

    /// A WAV with MPEG layer 3 inside.
    private static func wav(_ sound: [UInt8]) -> [UInt8] {
        func word(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let fields = [
            (0x55, 2), (2, 2), (44_100, 4), (16_000, 4), (1, 2), (0, 2), (12, 2), (1, 2), (2, 4), (417, 2), (1, 2),
            (1393, 2),
        ]
        let format = fields.flatMap { word($0.0, $0.1) }
        var body = Array("WAVEfmt ".utf8) + word(format.count, 4) + format
        body += Array("data".utf8) + word(sound.count, 4) + sound
        if sound.count % 2 == 1 { body.append(0) }
        return Array("RIFF".utf8) + word(body.count, 4) + body
    }

    @Test(
        "an Ogg file that was cut short is played as far as it goes, and that is said", arguments: ["Vorbis", "Opus"])
    func cutOgg(name: String) throws {
        let one = try #require(SeekCase.all.first { $0.name == name })
        let path = folder("whole.ogg")
        try #require(
            SoundMaker.write(path, one.format, rate: one.rate, channels: 2, frames: one.rate * 10, quality: one.quality)
        )
        let bytes = try #require(Fixture.bytes(path))
        let cut = folder("cut.ogg")
        Fixture.write(Array(bytes.prefix(bytes.count * 2 / 3)), to: cut)
        let media = try SoundFile.open(cut)
        let all = try Self.whole(media)
        #expect(all.count / 2 > one.rate * 5)
        #expect(media.info.oddities == ["it is cut short; what is there is played"])
        // What its last whole page says: what comes may be more, by a page cut in two, and counts.
        #expect(abs(media.info.frames - Int64(all.count / 2)) < Int64(one.rate))
        try media.seek(to: Int64(one.rate) * 3)
        let piece = try Self.read(media, 300)
        #expect(Self.difference(piece, all, from: one.rate * 3 * 2) <= one.tolerance)
    }

    @Test("of streams one behind the other the first is played, and that is said")
    func chained() throws {
        let one = try #require(SeekCase.all.first { $0.name == "Vorbis" })
        let (first, second) = (folder("first.ogg"), folder("second.ogg"))
        try #require(SoundMaker.write(first, one.format, rate: 44_100, channels: 2, frames: 100_000))
        try #require(SoundMaker.write(second, one.format, rate: 44_100, channels: 2, frames: 50_000))
        let both = try #require(Fixture.bytes(first)) + #require(Fixture.bytes(second))
        let path = folder("both.ogg")
        Fixture.write(both, to: path)
        let media = try SoundFile.open(path)
        #expect(media.info.frames == 100_000)
        #expect(media.info.oddities.count == 1)
        #expect(try SoundFile.open(first).info.oddities.isEmpty)
        try judge(path, 0, count: 60, "the first of two streams")
    }
}
