import CSndfile
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite("Which channel is which in a file")
struct MediaLayoutTests {
    private let folder = Scratch(name: "onstage-layout")

    private func wav(_ mask: Int, channels: Int) -> String {
        let path = folder("mask-\(mask)-\(channels).wav")
        let format = WAVMaker.extended(channels: channels, mask: mask)
        let data = WAVMaker.sound(channels * 2 * 100)
        Fixture.write(WAVMaker.riff([WAVMaker.chunk("fmt ", format), WAVMaker.chunk("data", data)]), to: path)
        return path
    }

    @Test(
        "A-16: a WAV file's mask, the same by ourselves and by libsndfile",
        arguments: [
            (0x3F, 6, "FL FR FC LFE RL RR"), (0x60F, 6, "FL FR FC LFE SL SR"), (0x33, 4, "FL FR RL RR"),
            (0x107, 4, "FL FR FC RC"), (0x63F, 8, "FL FR FC LFE RL RR SL SR"), (0x3, 2, "FL FR"), (0x4, 1, "MONO"),
            // None, and one that says too little: as WAV files have them.
            (0, 6, "FL FR FC LFE RL RR"), (0x3, 6, "FL FR FC LFE RL RR"), (0, 2, "FL FR"),
        ])
    func masks(mask: Int, channels: Int, layout: String) throws {
        let path = wav(mask, channels: channels)
        let plain = try #require(try PlainWAV(path: path))
        #expect(plain.info.layout.description == layout)
        #expect(try MediaFile(path: path).info.layout.description == layout)
    }

    @Test(
        "A-16: FLAC and Vorbis have orders of their own",
        arguments: [
            (SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 6, "FL FR FC LFE RL RR"),
            (SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 4, "FL FR RL RR"),
            (SF_FORMAT_OGG | SF_FORMAT_VORBIS, 6, "FL FC FR RL RR LFE"),
            (SF_FORMAT_OGG | SF_FORMAT_VORBIS, 3, "FL FC FR"),
            (SF_FORMAT_OGG | SF_FORMAT_OPUS, 5, "FL FC FR RL RR"), (SF_FORMAT_OGG | SF_FORMAT_VORBIS, 2, "FL FR"),
        ])
    func codecs(format: Int, channels: Int, layout: String) throws {
        let path = folder("codec")
        try #require(SoundMaker.write(path, format, rate: 48_000, channels: channels, frames: 4_800))
        #expect(try MediaFile(path: path).info.layout.description == layout)
    }
}
