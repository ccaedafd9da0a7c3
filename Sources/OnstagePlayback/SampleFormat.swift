internal import CALSA

/// How one sample lies in memory, in the machine's own byte order. The names are ALSA's.
package enum SampleFormat: Hashable, Sendable, CaseIterable {
    /// 16 bits.
    case s16
    /// 24 bits in three bytes (`S24_3LE`).
    case s24Packed
    /// 24 bits at the low end of four bytes (`S24_LE`).
    case s24
    /// 32 bits; 24-bit sound lies at the high end.
    case s32
    /// 32-bit floating point, −1…1.
    case float

    package var bytes: Int {
        switch self {
        case .s16: 2
        case .s24Packed: 3
        case .s24, .s32, .float: 4
        }
    }

    /// The bits of a whole number; 24 of a float's 32 are its own.
    var bits: Int32 {
        switch self {
        case .s16: 16
        case .s24Packed, .s24, .float: 24
        case .s32: 32
        }
    }

    /// ALSA's name ("S16_LE").
    package var name: String {
        switch self {
        case .s16: "S16_LE"
        case .s24Packed: "S24_3LE"
        case .s24: "S24_LE"
        case .s32: "S32_LE"
        case .float: "FLOAT_LE"
        }
    }

    /// ALSA's number.
    var alsa: Int32 {
        switch self {
        case .s16: SND_PCM_FORMAT_S16_LE.rawValue
        case .s24Packed: SND_PCM_FORMAT_S24_3LE.rawValue
        case .s24: SND_PCM_FORMAT_S24_LE.rawValue
        case .s32: SND_PCM_FORMAT_S32_LE.rawValue
        case .float: SND_PCM_FORMAT_FLOAT_LE.rawValue
        }
    }

    init?(alsa: Int32) {
        guard let format = Self.allCases.first(where: { $0.alsa == alsa }) else { return nil }
        self = format
    }
}

/// What a media source hands over: the type that keeps every bit of what is stored.
package enum SourceFormat: Hashable, Sendable {
    /// 16 bits and less.
    case s16
    /// 24 bits at the high end of 32.
    case s24
    case s32
    case float

    package var bytes: Int { self == .s16 ? 2 : 4 }

    /// The bits that a sample has.
    var bits: Int32 {
        switch self {
        case .s16: 16
        case .s24, .float: 24
        case .s32: 32
        }
    }

    /// What a device may be given without losing a bit, the source's own format first. The last resort, where a device
    /// has none of them, is ALSA's plug.
    package var candidates: [SampleFormat] {
        switch self {
        case .s16: [.s16, .s32, .s24, .s24Packed, .float]
        case .s24: [.s24Packed, .s32, .s24, .float]
        case .s32: [.s32]
        case .float: [.float, .s32]
        }
    }
}
