import OnstageLinux

/// A WAV of 5 s at 8 kHz whose frames are numbered from 0: the left sample is the number − 32,768, the right one is never 0
/// with it.
enum PlayedRamp {
    static let path = resource("w80_position_ramp_8k_5s.wav")

    /// Where a file of the playback's tests is.
    static func resource(_ name: String) -> String {
        let tests = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        return tests.joined(separator: "/") + "/OnstagePlaybackTests/Resources/" + name
    }

    /// The numbers of the frames that were heard, over all pauses; silence left out.
    static func heard(_ recording: String) throws -> [Int] {
        let bytes = try TextFile.bytes(recording, limit: 1 << 24)
        return stride(from: 44, to: bytes.count - 3, by: 4).compactMap { at in
            guard bytes[at..<at + 4].contains(where: { $0 != 0 }) else { return nil }
            return (Int(bytes[at]) | Int(bytes[at + 1]) << 8) ^ 0x8000
        }
    }
}
