internal import CSndfile

extension ChannelLayout {
    /// What libsndfile says of a file's channels; nil where it does not tell of each.
    init?(sndfile numbers: [Int32]) {
        var found: [ChannelPosition] = []
        for number in numbers {
            guard let position = ChannelPosition(sndfile: number) else { return nil }
            found.append(position)
        }
        guard !found.isEmpty else { return nil }
        self.init(found)
    }
}

extension ChannelPosition {
    fileprivate init?(sndfile number: Int32) {
        switch Int(number) {
        case SF_CHANNEL_MAP_MONO: self = .mono
        case SF_CHANNEL_MAP_LEFT, SF_CHANNEL_MAP_FRONT_LEFT: self = .frontLeft
        case SF_CHANNEL_MAP_RIGHT, SF_CHANNEL_MAP_FRONT_RIGHT: self = .frontRight
        case SF_CHANNEL_MAP_CENTER, SF_CHANNEL_MAP_FRONT_CENTER: self = .frontCenter
        case SF_CHANNEL_MAP_REAR_CENTER: self = .rearCenter
        case SF_CHANNEL_MAP_REAR_LEFT: self = .rearLeft
        case SF_CHANNEL_MAP_REAR_RIGHT: self = .rearRight
        case SF_CHANNEL_MAP_LFE: self = .lfe
        case SF_CHANNEL_MAP_FRONT_LEFT_OF_CENTER: self = .frontLeftOfCenter
        case SF_CHANNEL_MAP_FRONT_RIGHT_OF_CENTER: self = .frontRightOfCenter
        case SF_CHANNEL_MAP_SIDE_LEFT: self = .sideLeft
        case SF_CHANNEL_MAP_SIDE_RIGHT: self = .sideRight
        case SF_CHANNEL_MAP_TOP_CENTER: self = .topCenter
        case SF_CHANNEL_MAP_TOP_FRONT_LEFT: self = .topFrontLeft
        case SF_CHANNEL_MAP_TOP_FRONT_RIGHT: self = .topFrontRight
        case SF_CHANNEL_MAP_TOP_FRONT_CENTER: self = .topFrontCenter
        case SF_CHANNEL_MAP_TOP_REAR_LEFT: self = .topRearLeft
        case SF_CHANNEL_MAP_TOP_REAR_RIGHT: self = .topRearRight
        case SF_CHANNEL_MAP_TOP_REAR_CENTER: self = .topRearCenter
        default: return nil
        }
    }
}
