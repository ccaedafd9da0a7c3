import CLinux
import OnstageCore
import Testing

@testable import OnstagePlayback

/// A line of EXPECTED.tsv.
struct ExpectedWAV: Sendable, CustomStringConvertible {
    var file: String
    var outcome: String
    var rate: Int?
    var channels: Int?
    var format: String
    var frames: Int64?
    var crc: UInt32?
    var error: String
    var ids: String
    var description: String { "\(file) \(ids)" }

    static let all: [ExpectedWAV] = {
        guard let text = Fixture.text("EXPECTED.tsv") else { return [] }
        return text.split(separator: "\n").dropFirst().map { line in
            let field = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return ExpectedWAV(
                file: field[0], outcome: field[1], rate: Int(field[2]), channels: Int(field[3]), format: field[4],
                frames: Int64(field[5]), crc: UInt32(field[7], radix: 16), error: field[8], ids: field[9])
        }
    }()
}

@Suite("Real C: the WAV table (W-01 to W-12), libsndfile's own answers")
struct WAVTableTests {
    @Test("the table is there, whole")
    func whole() {
        #expect(ExpectedWAV.all.count == 43)
    }

    /// What a refused file is said to be, where the table's words are not ours or go too little into it.
    private static let words = [
        "w57_empty.wav": "the file is empty", "w58_eleven_bytes.wav": "the file is too short (11 bytes)",
        "w59_all_zero_4096.wav": "it holds nothing but zeros: its sound never reached the disk",
        "w61_ogg_renamed.wav": "this Ogg file holds no Vorbis or Opus",
        "w71_bw64_small.wav": "BW64 files are not known to libsndfile",
        "w74_rf64_ds64_all_ones.wav": "this RF64 file has no usable sizes",
    ]

    @Test("each file opens, is warned of, or is refused as the table says", arguments: ExpectedWAV.all)
    func row(_ row: ExpectedWAV) throws {
        let media: any MediaSource
        do throws(DeviceError) {
            media = try SoundFile.open(Fixture.path(row.file))
        } catch {
            #expect(row.outcome == "ERR", "\(error)")
            #expect(error.kind == .configuration)
            // What is wrong, in plain words: the table's own, where it has any.
            let words = Self.words[row.file] ?? row.error
            #expect(error.reason?.hasPrefix(words) == true, "\(error)")
            return
        }
        #expect(row.outcome != "ERR")
        #expect(media.info.rate == row.rate)
        #expect(media.info.channels == row.channels)
        #expect(media.info.frames == row.frames)
        if row.outcome == "WARN" {
            #expect(media.info.oddities.count == 1, "\(media.info.oddities)")
        } else {
            #expect(media.info.oddities.isEmpty, "\(media.info.oddities)")
        }
        guard !row.format.isEmpty else { return }
        #expect(media.info.format == row.format)
        let bytes = try Self.stored(media)
        #expect(Self.crc(bytes) == row.crc)
    }

    /// The sound as it is stored in the file, made of what the player reads: no bit may be lost on the way.
    private static func stored(_ media: any MediaSource) throws(DeviceError) -> [UInt8] {
        var bytes: [UInt8] = []
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * media.info.channels * 4, alignment: 16)
        defer { space.deallocate() }
        guard let start = space.baseAddress else { return [] }
        while true {
            let came = try media.read(into: start, frames: 64)
            if came == 0 { return bytes }
            for index in 0..<(came * media.info.channels) {
                switch media.info.format {
                case "U8":
                    let sample = start.load(fromByteOffset: 2 * index, as: Int16.self)
                    bytes.append(UInt8(truncatingIfNeeded: (Int(sample) >> 8) + 128))
                case "S24_3LE":
                    bytes += space[(4 * index + 1)..<(4 * index + 4)]
                default:
                    let width = media.format.bytes
                    bytes += space[(width * index)..<(width * (index + 1))]
                }
            }
        }
    }

    static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    @Test("what is not there, or not a file, is refused with what to do")
    func missing() {
        #expect(throws: DeviceError.self) { try MediaFile(path: "/nonexistent/a.wav") }
        let folder = #expect(throws: DeviceError.self) { try MediaFile(path: "/tmp") }
        #expect(folder?.kind == .configuration)
        let device = #expect(throws: DeviceError.self) { try MediaFile(path: "/dev/null") }
        #expect(device?.reason == "it is not a regular file")
    }

    @Test("W-01: a size of 0 or of \"unknown\", left by a writer that died, is said in words that help")
    func unknownSizes() throws {
        let zero = try SoundFile.open(Fixture.path("w10_data_size_zero_stream.wav"))
        #expect(zero.info.frames == 0)
        #expect(zero.info.oddities[0].contains("whoever wrote it did not finish it"))
        let unknown = try SoundFile.open(Fixture.path("w11_data_size_ffffffff_stream.wav"))
        #expect(unknown.info.oddities[0].contains("it is played to the end of the file"))
        let cut = try SoundFile.open(Fixture.path("w13_truncated_mid_frame.wav"))
        #expect(cut.info.oddities[0].contains("what is there is played"))
    }
}
