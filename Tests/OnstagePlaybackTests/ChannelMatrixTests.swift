import Testing

@testable import OnstagePlayback

@Suite("Tables: which channel goes where")
struct ChannelMatrixTests {
    private static let minus3dB = 0.5.squareRoot()
    /// 5.1 to stereo: what the centre and the surrounds add is turned down again, so that all at once are the whole.
    private static let whole = 1 + 2 * minus3dB

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var media: ChannelLayout
        var device: ChannelLayout
        /// A row for each output.
        var gains: [[Double]]
        var testDescription: String { name }
    }

    private static let side51 = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lfe, .sideLeft, .sideRight])

    private static let rows = [
        Row(name: "mono to stereo: both, the same", media: .media(1), device: .device(2), gains: [[1], [1]]),
        Row(name: "stereo to mono: the mean", media: .media(2), device: .device(1), gains: [[0.5, 0.5]]),
        Row(
            name: "mono to 5.1: the front alone", media: .media(1), device: .device(6),
            gains: [[1], [1], [0], [0], [0], [0]]),
        Row(
            name: "stereo to 5.1: the front alone", media: .media(2), device: .device(6),
            gains: [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]]),
        Row(
            name: "stereo to ten that nobody knows", media: .media(2), device: .device(10),
            gains: [[1, 0], [0, 1]] + Array(repeating: [0, 0], count: 8)),
        Row(
            name: "5.1 to stereo", media: .media(6), device: .device(2),
            gains: [
                [1 / whole, 0, minus3dB / whole, 0, minus3dB / whole, 0],
                [0, 1 / whole, minus3dB / whole, 0, 0, minus3dB / whole],
            ]),
        Row(
            name: "5.1 whose surrounds stand at the side, to stereo", media: side51, device: .device(2),
            gains: [
                [1 / whole, 0, minus3dB / whole, 0, minus3dB / whole, 0],
                [0, 1 / whole, minus3dB / whole, 0, 0, minus3dB / whole],
            ]),
        Row(
            name: "5.1 to mono", media: .media(6), device: .device(1),
            gains: [[0.5, 0.5, minus3dB, 0, minus3dB / 2, minus3dB / 2].map { $0 / (1 + 2 * minus3dB) }]),
        Row(
            name: "quadraphonic to stereo", media: .media(4), device: .device(2),
            gains: [
                [1 / (1 + minus3dB), 0, minus3dB / (1 + minus3dB), 0],
                [0, 1 / (1 + minus3dB), 0, minus3dB / (1 + minus3dB)],
            ]),
        Row(
            name: "WAV's 5.1 in ALSA's order", media: .media(6), device: .device(6),
            gains: [
                [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1], [0, 0, 1, 0, 0, 0],
                [0, 0, 0, 1, 0, 0],
            ]),
        Row(
            name: "Vorbis' 5.1 in WAV's order", media: .ogg(6), device: .media(6),
            gains: [
                [1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0],
                [0, 0, 0, 0, 1, 0],
            ]),
        Row(
            name: "7.1 to 5.1: two pairs in one", media: .media(8), device: .media(6),
            gains: [
                [1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0],
                [0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, minus3dB, 0], [0, 0, 0, 0, 0, 1, 0, minus3dB],
            ].map { $0.map { $0 / (1 + minus3dB) } }),
        Row(
            name: "5.0 on four: the centre goes to the front", media: .media(5), device: .device(4),
            gains: [
                [1, 0, minus3dB, 0, 0], [0, 1, minus3dB, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1],
            ].map { $0.map { $0 / (1 + minus3dB) } }),
        Row(
            name: "nine that nobody knows, to stereo: as they come", media: .media(9), device: .device(2),
            gains: [[1] + Array(repeating: 0, count: 8), [0, 1] + Array(repeating: 0, count: 7)]),
    ]

    @Test("A-16: each of the device's channels has what it should of each of the media's", arguments: rows)
    func table(row: Row) {
        let matrix = ChannelMatrix(from: row.media, to: row.device)
        #expect(matrix.inputs == row.media.count && matrix.outputs == row.device.count)
        for (output, wanted) in row.gains.enumerated() {
            for (input, gain) in wanted.enumerated() {
                #expect(abs(matrix.gains[output * matrix.inputs + input] - gain) < 1e-12, "\(input) to \(output)")
            }
        }
    }

    private static let layouts =
        (1...9).flatMap { [ChannelLayout.media($0), .ogg($0), .device($0)] } + [
            side51, ChannelLayout(ChannelPosition.maskOrder), ChannelLayout([.frontCenter, .lfe]),
            ChannelLayout([.rearLeft, .rearRight]), ChannelLayout([.frontLeft, .frontRight, .topRearCenter, .unknown]),
        ]

    @Test("A-16: whatever goes wherever, nothing can clip, and no channel but the effects' is left out")
    func bounds() {
        for media in Self.layouts {
            for device in Self.layouts where device.hasFront {
                let matrix = ChannelMatrix(from: media, to: device)
                for output in 0..<matrix.outputs {
                    let sum = (0..<matrix.inputs).map { matrix.gains[output * matrix.inputs + $0] }.reduce(0, +)
                    #expect(sum <= 1 + 1e-12, "\(media) to \(device)")
                }
                for (input, position) in media.positions.enumerated() where !media.isUnknown {
                    guard position != .lfe, position != .unknown else { continue }
                    let isHeard = (0..<matrix.outputs).contains { matrix.gains[$0 * matrix.inputs + input] > 0 }
                    #expect(isHeard, "\(position) of \(media) on \(device)")
                }
            }
            #expect(ChannelMatrix(from: media, to: media).isIdentity)
        }
    }

    @Test("A-16: a channel that is only put elsewhere is told from one that is mixed")
    func selection() {
        #expect(ChannelMatrix(from: .media(1), to: .device(2)).isSelection)
        #expect(ChannelMatrix(from: .media(6), to: .device(6)).isSelection)
        #expect(!ChannelMatrix(from: .media(6), to: .device(6)).isIdentity)
        #expect(!ChannelMatrix(from: .media(2), to: .device(1)).isSelection)
        #expect(!ChannelMatrix(from: .media(6), to: .device(2)).isSelection)
    }

    @Test("A-16: which channels a device is asked for: what it is, then what loses the least")
    func asked() {
        #expect(ALSAOutput.channels(for: 1) == [1, 2, 4, 6, 8])
        #expect(ALSAOutput.channels(for: 2) == [2, 4, 6, 8, 1])
        #expect(ALSAOutput.channels(for: 4) == [4, 6, 8, 2, 1])
        #expect(ALSAOutput.channels(for: 6) == [6, 8, 4, 2, 1])
        #expect((1...32).allSatisfy { ALSAOutput.channels(for: $0).count <= 8 })
    }

    @Test(
        "A-14: the period of a rate converter fits both rates, or is made to",
        arguments: [
            (554, 55_466, 480, 48_000, 535), (441, 44_100, 480, 48_000, nil), (480, 48_000, 480, 48_000, nil),
            (80, 8_000, 480, 48_000, nil), (110, 11_025, 480, 48_000, 65), (940, 44_100, 1_024, 48_000, 882),
            (555, 55_466, 480, 48_000, 535), (480, 48_000, 441, 44_100, nil), (1, 1, 0, 48_000, nil),
        ] as [(Int, Int, Int, Int, Int?)])
    func fittingPeriod(period: Int, rate: Int, device: Int, deviceRate: Int, wanted: Int?) {
        let found = ALSAOutput.fittingPeriod(period, rate, device: device, deviceRate)
        if let found {
            let frames = Int((Double(found) * Double(deviceRate) / Double(rate)).rounded())
            #expect(abs(Double(found) * Double(deviceRate) / (Double(frames) * Double(rate)) - 1) < 0.0001)
            #expect(frames <= device && frames >= device / 2)
        }
        #expect(found == wanted)
    }

    @Test("A-16: what a device says of its channels is believed where it tells left from right")
    func deviceMaps() {
        // ALSA's numbers: FL 3, FR 4, RL 5, RR 6, FC 7, LFE 8; 2 << 16 marks what only the driver understands.
        #expect(ChannelLayout(alsa: [3, 4, 7, 8, 5, 6]) == .media(6))
        #expect(ChannelLayout(alsa: [4, 3]) == ChannelLayout([.frontRight, .frontLeft]))
        #expect(ChannelLayout(alsa: [2]) == .media(1))
        #expect(ChannelLayout(alsa: [7]) == .media(1))
        #expect(ChannelLayout(alsa: [0, 0]) == nil)
        #expect(ChannelLayout(alsa: [5, 6]) == nil)
        #expect(ChannelLayout(alsa: [3, 3]) == nil)
        let strange = ChannelLayout(alsa: [3, 4, 7 | 2 << 16, 99])
        #expect(strange?.positions == [.frontLeft, .frontRight, .unknown, .unknown])
    }

    @Test("A-16: a WAV file's mask is believed where it fits its channels")
    func masks() {
        #expect(ChannelLayout(mask: 0x3F, count: 6) == .media(6))
        #expect(ChannelLayout(mask: 0x60F, count: 6) == Self.side51)
        #expect(ChannelLayout(mask: 0x33, count: 4) == .media(4))
        #expect(ChannelLayout(mask: 0x4, count: 1) == .media(1))
        #expect(ChannelLayout(mask: 0x3, count: 6) == .media(6))
        #expect(ChannelLayout(mask: 0xFFFF_FFFF, count: 32) == .media(32))
        #expect(ChannelLayout(mask: 0x8000_0003, count: 3) == .media(3))
    }
}
