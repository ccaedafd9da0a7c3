import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite("Real C: WAV files put together by hand (W-01 to W-12)")
struct WAVCaseTests {
    private let folder = Scratch(name: "onstage-wav")

    /// The bytes that a media hands over, one frame after the other.
    private static func bytes(_ media: any MediaSource, most: Int = .max) throws(DeviceError) -> [UInt8] {
        let size = media.info.channels * media.format.bytes
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * size, alignment: 16)
        defer { block.deallocate() }
        guard let start = block.baseAddress else { return [] }
        var bytes: [UInt8] = []
        while bytes.count < most {
            let came = try media.read(into: start, frames: 64)
            if came == 0 { break }
            bytes += block[..<(came * size)]
        }
        return bytes
    }

    @Test("each is played whole and bit by bit, or refused in words that help", arguments: WAVCase.all)
    func answer(_ one: WAVCase) throws {
        let path = folder("case.wav")
        Fixture.write(one.bytes, to: path)
        let media: any MediaSource
        do throws(DeviceError) {
            media = try SoundFile.open(path)
        } catch {
            guard case .refused(let words) = one.outcome else {
                Issue.record("\(error)")
                return
            }
            #expect(error.kind == .configuration)
            #expect(error.reason?.hasPrefix(words) == true, "\(error)")
            return
        }
        switch one.outcome {
        case .refused: Issue.record("it was not refused: \(media.info)")
        case .decodes(let frames):
            #expect(media.info.frames == frames)
            #expect(try Self.bytes(media).count == Int(frames) * media.info.channels * media.format.bytes)
        case .plays(let frames, let from, let isOdd):
            #expect(media.info.frames == frames)
            #expect(media.info.oddities.count == (isOdd ? 1 : 0), "\(media.info.oddities)")
            let heard = try Self.bytes(media)
            if media.info.format == "U8" {
                // Unsigned in the file, around 128; as 16 bits around 0.
                let low = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }
                let high = stride(from: 1, to: heard.count, by: 2).map { heard[$0] &+ 128 }
                #expect(low.allSatisfy { $0 == 0 })
                #expect(high == Array(one.bytes[from..<(from + Int(frames))]))
            } else {
                let count = Int(frames) * media.info.channels * media.format.bytes
                #expect(heard == Array(one.bytes[from..<(from + count)]))
            }
        }
    }

    private static var memory: Int {
        let line = SmallFile.text("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
    }

    @Test(
        "W-09: whatever a header says, nothing crashes, hangs, or takes memory by its word",
        arguments: 1...4 as ClosedRange<UInt64>)
    func changed(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        let path = folder("changed.wav")
        let words = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
        let before = Self.memory
        var (opened, refused) = (0, 0)
        for _ in 0..<500 {
            var bytes = (WAVCase.all.randomElement(using: &chance) ?? WAVCase.all[0]).bytes
            for _ in 0..<Int.random(in: 1...4, using: &chance) {
                guard bytes.count > 8 else { break }
                let place = Int.random(in: 0..<min(bytes.count - 4, 110), using: &chance)
                switch Int.random(in: 0..<4, using: &chance) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &chance)
                case 1:
                    bytes.replaceSubrange(
                        place..<(place + 4), with: WAVMaker.word(words.randomElement(using: &chance) ?? 0, 4))
                case 2:
                    bytes.replaceSubrange(
                        place..<(place + 2), with: WAVMaker.word(words.randomElement(using: &chance) ?? 0, 2))
                default: bytes.removeLast(Int.random(in: 0..<min(bytes.count - 4, 200), using: &chance))
                }
            }
            Fixture.write(bytes, to: path)
            do throws(DeviceError) {
                let media = try SoundFile.open(path)
                opened += 1
                #expect((1...32).contains(media.info.channels) && (1...768_000).contains(media.info.rate))
                let heard = try Self.bytes(media, most: 1 << 20)
                // Sound that is stored takes no less room than half of what it comes to; what is decoded (ADPCM, GSM) an eighth.
                #expect(heard.count <= bytes.count * 32, "\(media.info)")
                #expect(
                    Int64(heard.count) <= max(0, media.info.frames) * Int64(media.info.channels * media.format.bytes))
            } catch {
                refused += 1
                #expect(error.reason?.isEmpty == false)
            }
        }
        #expect(opened > 50 && refused > 50, "\(opened) opened, \(refused) refused")
        #expect(Self.memory - before < 64 << 10, "kB")
    }
}
