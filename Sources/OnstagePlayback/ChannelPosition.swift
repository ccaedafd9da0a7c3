internal import CALSA

/// Where the loudspeaker of a channel stands. The raw values are ALSA's.
package enum ChannelPosition: UInt32, Hashable, Sendable {
    /// Nobody says.
    case unknown = 0
    /// The only one.
    case mono = 2
    case frontLeft
    case frontRight
    case rearLeft
    case rearRight
    case frontCenter
    case lfe
    case sideLeft
    case sideRight
    case rearCenter
    case frontLeftOfCenter
    case frontRightOfCenter
    case topCenter = 21
    case topFrontLeft
    case topFrontRight
    case topFrontCenter
    case topRearLeft
    case topRearRight
    case topRearCenter

    /// ALSA's name of it ("FL"). *C: `snd_pcm_chmap_name`.*
    var name: String {
        snd_pcm_chmap_name(snd_pcm_chmap_position(rawValue)).map { String(cString: $0) } ?? "?"
    }

    /// The bits of a WAV file's channel mask, the lowest first.
    static let maskOrder: [ChannelPosition] = [
        .frontLeft, .frontRight, .frontCenter, .lfe, .rearLeft, .rearRight, .frontLeftOfCenter, .frontRightOfCenter,
        .rearCenter, .sideLeft, .sideRight, .topCenter, .topFrontLeft, .topFrontCenter, .topFrontRight, .topRearLeft,
        .topRearCenter, .topRearRight,
    ]

    /// How much of a sound goes where.
    typealias Share = (position: ChannelPosition, gain: Double)

    /// What a device that lacks this loudspeaker plays its sound with instead: the first of these ways for which it has all that
    /// are named, else the last one, in which what it lacks is replaced once more. Each gain is a factor of amplitude.
    ///
    /// After ITU-R BS.775: the centre and the surrounds go to the front at −3 dB, the effects channel is left out.
    ///
    /// - Parameter media: for a pair that comes on top of another one.
    func replacements(in media: ChannelLayout) -> [[Share]] {
        let minus3dB = 0.5.squareRoot()
        /// A pair that takes over another's sound; beside its own it is softer by 3 dB.
        func pair(_ position: ChannelPosition) -> [Share] {
            [(position, media.positions.contains(position) ? minus3dB : 1)]
        }
        return switch self {
        case .unknown, .lfe: []
        case .mono: [[(.frontLeft, 1), (.frontRight, 1)]]
        // All there is is mono: the mean.
        case .frontLeft, .frontRight: [[(.mono, 0.5)]]
        case .frontCenter: [[(.frontLeft, minus3dB), (.frontRight, minus3dB)]]
        case .rearLeft: [pair(.sideLeft), [(.frontLeft, minus3dB)]]
        case .rearRight: [pair(.sideRight), [(.frontRight, minus3dB)]]
        case .sideLeft: [pair(.rearLeft), [(.frontLeft, minus3dB)]]
        case .sideRight: [pair(.rearRight), [(.frontRight, minus3dB)]]
        case .rearCenter:
            [
                [(.rearLeft, minus3dB), (.rearRight, minus3dB)], [(.sideLeft, minus3dB), (.sideRight, minus3dB)],
                [(.frontLeft, 0.5), (.frontRight, 0.5)],
            ]
        case .frontLeftOfCenter, .topFrontLeft: [[(.frontLeft, minus3dB)]]
        case .frontRightOfCenter, .topFrontRight: [[(.frontRight, minus3dB)]]
        case .topFrontCenter: [[(.frontCenter, minus3dB)]]
        case .topCenter: [[(.frontLeft, 0.5), (.frontRight, 0.5)]]
        case .topRearLeft: [[(.rearLeft, minus3dB)]]
        case .topRearRight: [[(.rearRight, minus3dB)]]
        case .topRearCenter: [[(.rearCenter, minus3dB)]]
        }
    }
}
