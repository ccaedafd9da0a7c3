/// How much of each of the media's channels each of a device's plays.
///
/// A loudspeaker that both have plays its channel as it is. What the device lacks goes to the nearest that it has
/// (``ChannelPosition/replacements(in:)``): mono to both sides, the same; stereo to mono the mean; 5.1 and quadraphonic to stereo
/// the centre and the surrounds at −3 dB, without the effects channel. What the media lacks is silent. Where an output would be
/// more than the whole of one channel, all are turned down alike, so that nothing can clip and the balance stays.
struct ChannelMatrix: Hashable, Sendable {
    let inputs: Int
    let outputs: Int
    /// Row by row: those of an output lie together.
    let gains: [Double]

    init(from media: ChannelLayout, to device: ChannelLayout) {
        let (inputs, outputs) = (media.count, device.count)
        var gains = [Double](repeating: 0, count: inputs * outputs)
        func add(_ input: Int, _ position: ChannelPosition, _ gain: Double) {
            if let output = device.positions.firstIndex(of: position) {
                gains[output * inputs + input] += gain
                return
            }
            let ways = position.replacements(in: media)
            let way = ways.first { $0.allSatisfy { device.positions.contains($0.position) } } ?? ways.last ?? []
            for (position, more) in way { add(input, position, gain * more) }
        }
        if media == device || media.isUnknown || !device.hasFront {
            // In the order in which they come; nothing is guessed.
            for index in 0..<min(inputs, outputs) { gains[index * inputs + index] = 1 }
        } else {
            for (input, position) in media.positions.enumerated() where position != .unknown { add(input, position, 1) }
        }
        let loudest = (0..<outputs).map { gains[$0 * inputs..<($0 + 1) * inputs].reduce(0, +) }.max() ?? 0
        if loudest > 1 { for index in gains.indices { gains[index] /= loudest } }
        (self.inputs, self.outputs, self.gains) = (inputs, outputs, gains)
    }

    /// The device takes the very channels that the media has.
    var isIdentity: Bool {
        inputs == outputs && gains.indices.allSatisfy { gains[$0] == ($0 % (inputs + 1) == 0 ? 1 : 0) }
    }

    /// Every output is one of the media's channels as it is, or silent: no sample is changed.
    var isSelection: Bool {
        (0..<outputs).allSatisfy { output in
            let row = gains[output * inputs..<(output + 1) * inputs]
            return row.allSatisfy { $0 == 0 || $0 == 1 } && row.count { $0 == 1 } <= 1
        }
    }
}
