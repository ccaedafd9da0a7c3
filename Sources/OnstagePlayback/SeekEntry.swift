/// Where libsndfile is to enter a stream so that a frame comes out as if everything before it had been decoded.
///
/// All measured with libsndfile 1.2.0, at 300 random frames in each of some thirty files, against a decoding from the start:
///
/// - Plain samples, FLAC, ALAC, ADPCM: bit by bit right at the frame itself.
/// - Vorbis: bit by bit right, if two faults of 1.2.0 are kept out of the way. A seek forward by less than two seconds lands
///   up to 896 frames beside the place, whatever is decoded before; so each goes by way of the first frame. A seek that ends
///   on the last page lands beside it by what that page is cut short; so the page before is entered.
/// - Opus: bit by bit right after 2 s, down to 16 kbit/s (after 0.5 s up to 40 steps of 16 bits beside, at 82 of 300). Below
///   that its speech coder does not forget for minutes: the frame is the right one, its samples may be 0.02 beside.
/// - MP3 (inside a WAV; else ``MPEGFile`` reads it): right within 1e-6 when the bit reservoir is full, which may take 23
///   frames of 1,152.
///
/// Where nothing is known of a codec it is given two large blocks.
struct SeekEntry: Hashable {
    private let preRoll: Int64
    /// The first frame of a last page that must not be entered.
    private let lastPage: Int64?
    /// Each seek goes to the first frame before.
    let isThroughStart: Bool

    init(_ kind: StoredFormat, rate: Int, frames: Int64, tail: OggTail?) {
        isThroughStart = kind.isVorbis
        // From the end backwards: the first frame need not have the granule position 0.
        lastPage = kind.isVorbis ? tail.map { frames - ($0.end - $0.lastPage) } ?? 0 : nil
        preRoll =
            if kind.isPlain {
                0
            } else if kind.isOpus {
                2 * Int64(rate)
            } else if kind.isMPEG {
                32 * 1152
            } else {
                8192
            }
    }

    func frame(for frame: Int64) -> Int64 {
        let latest = lastPage.map { min(frame, $0) } ?? frame
        return max(0, latest - preRoll)
    }
}
