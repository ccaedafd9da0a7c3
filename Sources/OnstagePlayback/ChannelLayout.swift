/// Which channel of a frame is which.
package struct ChannelLayout: Hashable, Sendable, CustomStringConvertible {
    /// In the order of the frame's samples.
    package let positions: [ChannelPosition]

    package init(_ positions: [ChannelPosition]) {
        // What is alone has no side.
        self.positions = positions.count == 1 ? [.mono] : positions
    }

    package var count: Int { positions.count }

    /// Whether nothing is known of any of them.
    var isUnknown: Bool { positions.allSatisfy { $0 == .unknown } }

    /// Whether it tells left from right, or is all there is: to anything else sound can only be handed as it comes.
    var hasFront: Bool {
        count == 1 || positions.contains(.frontLeft) && positions.contains(.frontRight)
    }

    /// In ALSA's words: "FL FR FC LFE RL RR".
    package var description: String { positions.map(\.name).joined(separator: " ") }

    /// Channels of which nobody says which they are.
    static func unknown(_ count: Int) -> ChannelLayout {
        ChannelLayout(Array(repeating: .unknown, count: max(0, count)))
    }

    /// The channels of media that say nothing about them, in the order of WAV and FLAC files; of more than eight nothing is
    /// known.
    package static func media(_ count: Int) -> ChannelLayout {
        switch count {
        case 1: ChannelLayout([.mono])
        case 2: ChannelLayout([.frontLeft, .frontRight])
        case 3: ChannelLayout([.frontLeft, .frontRight, .frontCenter])
        case 4: ChannelLayout([.frontLeft, .frontRight, .rearLeft, .rearRight])
        case 5: ChannelLayout([.frontLeft, .frontRight, .frontCenter, .rearLeft, .rearRight])
        case 6: ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lfe, .rearLeft, .rearRight])
        case 7: ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lfe, .rearCenter, .sideLeft, .sideRight])
        case 8:
            ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lfe, .rearLeft, .rearRight, .sideLeft, .sideRight])
        default: unknown(count)
        }
    }

    /// Those of a Vorbis or Opus stream, whose order is fixed.
    static func ogg(_ count: Int) -> ChannelLayout {
        switch count {
        case 3: ChannelLayout([.frontLeft, .frontCenter, .frontRight])
        case 5: ChannelLayout([.frontLeft, .frontCenter, .frontRight, .rearLeft, .rearRight])
        case 6: ChannelLayout([.frontLeft, .frontCenter, .frontRight, .rearLeft, .rearRight, .lfe])
        case 7:
            ChannelLayout([.frontLeft, .frontCenter, .frontRight, .sideLeft, .sideRight, .rearCenter, .lfe])
        case 8:
            ChannelLayout([
                .frontLeft, .frontCenter, .frontRight, .sideLeft, .sideRight, .rearLeft, .rearRight, .lfe,
            ])
        default: media(count)
        }
    }

    /// Those of a device that says nothing about them, in ALSA's standard order: the front, and whatever else there is behind it.
    package static func device(_ count: Int) -> ChannelLayout {
        let all: [ChannelPosition] = [
            .frontLeft, .frontRight, .rearLeft, .rearRight, .frontCenter, .lfe, .sideLeft, .sideRight,
        ]
        guard count > 1 else { return ChannelLayout([.mono]) }
        guard [2, 4, 6, 8].contains(count) else {
            return ChannelLayout(Array(all[..<2]) + unknown(count - 2).positions)
        }
        return ChannelLayout(Array(all[..<count]))
    }

    /// What a WAV file's channel mask says; where it does not fit the `count` channels it is not believed.
    init(mask: UInt32, count: Int) {
        let order = ChannelPosition.maskOrder
        let found = order.indices.filter { mask >> UInt32($0) & 1 == 1 }.map { order[$0] }
        self = found.count == count && mask >> UInt32(order.count) == 0 ? ChannelLayout(found) : .media(count)
    }

    /// What a device says in ALSA's numbers; nil where it does not tell the left front from the right one, which helps nobody.
    init?(alsa numbers: [UInt32]) {
        // The upper half has flags: of what only the driver understands, its position too.
        let found = numbers.map { number in
            number >> 17 & 1 == 1 ? .unknown : ChannelPosition(rawValue: number & 0xFFFF) ?? .unknown
        }
        self.init(found)
        guard hasFront else { return nil }
    }
}
