internal import OnstagePlayback

/// A type of sample that an app may make sound of: `Int16`, `Int32` or `Float` (−1…1).
public protocol PCMSample: BitwiseCopyable, Sendable {
    /// What the library calls it.
    static var format: PCMSampleFormat { get }
}

/// The library's name of a ``PCMSample``.
public struct PCMSampleFormat: Hashable, Sendable {
    let source: SourceFormat
    /// ALSA's name.
    let name: String
}

extension Int16: PCMSample {
    public static var format: PCMSampleFormat { PCMSampleFormat(source: .s16, name: "S16_LE") }
}

extension Int32: PCMSample {
    public static var format: PCMSampleFormat { PCMSampleFormat(source: .s32, name: "S32_LE") }
}

extension Float: PCMSample {
    public static var format: PCMSampleFormat { PCMSampleFormat(source: .float, name: "FLOAT_LE") }
}
