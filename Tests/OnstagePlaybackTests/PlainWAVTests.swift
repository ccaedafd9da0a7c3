import CLinux
import Glibc
import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

/// A plain WAV is read without libsndfile. What it says and what is heard is what libsndfile would have said.
@Suite("Real C: plain WAV files, beside libsndfile") struct PlainWAVTests {
    private let folder = Scratch(name: "onstage-plain")

    /// What a file is, and its samples as they are handed over.
    private struct Answer: Hashable {
        var info: MediaInfo
        var format: SourceFormat
        var bytes: [UInt8]

        init(_ media: any MediaSource, from frame: Int64 = 0) throws(DeviceError) {
            info = media.info
            format = media.format
            bytes = []
            try media.seek(to: frame)
            let size = info.channels * format.bytes
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 61 * size, alignment: 16)
            defer { block.deallocate() }
            guard let start = block.baseAddress else { return }
            while true {
                let came = try media.read(into: start, frames: 61)
                if came == 0 { return }
                bytes += block[..<(came * size)]
            }
        }
    }

    @Test("the table's plain files are plain, and the same bit by bit", arguments: ExpectedWAV.all)
    func row(_ row: ExpectedWAV) throws {
        let path = Fixture.path(row.file)
        let isPlain = [
            "w00", "w01", "w02", "w04", "w05", "w06", "w20", "w25", "w30", "w36", "w37", "w80", "w81", "w82", "w83",
        ].contains(String(row.file.prefix(3)))
        let plain = try PlainWAV(path: path)
        #expect((plain != nil) == isPlain)
        guard let plain else { return }
        #expect(try Answer(plain) == Answer(MediaFile(path: path)))
        for frame in [1, plain.info.frames / 2, plain.info.frames - 1, plain.info.frames] {
            let (ours, judge) = try (Answer(plain, from: frame), Answer(MediaFile(path: path), from: frame))
            #expect(ours == judge, "from \(frame): \(ours) \(judge)")
        }
    }

    /// 1,000 files with bytes of their headers changed: whatever is taken for plain, libsndfile takes for the same.
    @Test func nothingIsTakenForPlainThatIsNot() throws {
        var chance = SplitMix64(seed: 20)
        var taken = 0
        let bases = try ["w00", "w01", "w02", "w04", "w05", "w20", "w30", "w36", "w37", "w82"].map { name in
            let file = try #require(ExpectedWAV.all.first { $0.file.hasPrefix(name) })
            return (bytes: try bytes(Fixture.path(file.file)), header: name == "w05" ? 68 : 44)
        }
        let path = folder("changed.wav")
        for _ in 0..<1000 {
            var (bytes, header) = bases.randomElement(using: &chance) ?? ([], 0)
            for _ in 0..<Int.random(in: 1...2, using: &chance) {
                let place = Int.random(in: 0..<header, using: &chance)
                switch Int.random(in: 0..<4, using: &chance) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &chance)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
                case 2: bytes[place] = bytes[Int.random(in: 0..<header, using: &chance)]
                default: bytes.removeLast(min(bytes.count - header, Int.random(in: 0...9, using: &chance)))
                }
            }
            try write(bytes, path)
            guard let plain = try PlainWAV(path: path) else { continue }
            taken += 1
            let answer = try Answer(plain)
            do throws(DeviceError) {
                let judge = try Answer(MediaFile(path: path))
                #expect(answer == judge, "\(bytes.prefix(header))")
            } catch {
                Issue.record("libsndfile refuses it: \(error): \(bytes.prefix(header))")
            }
        }
        // Samples, padding, what stands in a LIST, a rate with its bytes per second: some changes leave it plain.
        print("plain: \(taken) of 1000")
        #expect(taken > 20, "\(taken)")
    }

    @Test func aFileThatIsCutWhileItPlaysEndsWithWholeFrames() throws {
        let path = folder("cut.wav")
        let all = try bytes(Fixture.path("w00_plain_s16_stereo.wav"))
        try write(all, path)
        let plain = try #require(try PlainWAV(path: path))
        #expect(truncate(path, 44 + 4 * 100 + 3) == 0)
        #expect(try Answer(plain).bytes == Array(all[44..<444]))
    }

    @Test func whatIsNotThereSaysSo() {
        #expect {
            _ = try PlainWAV(path: "/nonexistent")
        } throws: {
            ($0 as? DeviceError)?.kind == .absent
        }
    }

    private func bytes(_ path: String) throws -> [UInt8] { try #require(Fixture.bytes(path)) }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        let file = try #require(fopen(path, "w"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        fclose(file)
    }
}
