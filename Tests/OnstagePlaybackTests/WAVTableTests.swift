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

    @Test("each file opens, is warned of, or is refused as the table says", arguments: ExpectedWAV.all)
    func row(_ row: ExpectedWAV) throws {
        let media: MediaFile
        do throws(DeviceError) {
            media = try MediaFile(path: Fixture.path(row.file))
        } catch {
            #expect(row.outcome == "ERR", "\(error)")
            #expect(error.kind == .configuration)
            #expect(error.reason?.isEmpty == false)
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
    private static func stored(_ media: MediaFile) throws(DeviceError) -> [UInt8] {
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

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
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

    @Test("W-10: an empty file is said to be empty")
    func words() {
        let empty = #expect(throws: DeviceError.self) { try MediaFile(path: Fixture.path("w57_empty.wav")) }
        #expect(empty?.reason == "the file is empty")
        let short = #expect(throws: DeviceError.self) { try MediaFile(path: Fixture.path("w58_eleven_bytes.wav")) }
        #expect(short?.reason == "the file is too short (11 bytes)")
        let bw64 = #expect(throws: DeviceError.self) { try MediaFile(path: Fixture.path("w71_bw64_small.wav")) }
        #expect(bw64?.reason?.contains("BW64") == true)
    }
}
