/// What has been written to a PCM since its stream was begun, and what of it has been heard. All in source frames.
///
///     | heard ……………… | content in flight … | silence |
///     0              heard               written      written + silence
///
/// Frames of content are counted from the start of the stream, over as many passes of a loop as come; which source frame
/// one of them is follows from `base` and the length of a pass. So positions are whole numbers that nothing can drift from.
package struct PlaybackLedger: Hashable, Sendable {
    /// The source frame that the stream began with.
    package private(set) var base: Int64 = 0
    /// Frames of content written.
    package private(set) var written: Int64 = 0
    /// Frames of silence written behind the content.
    package private(set) var silence: Int64 = 0
    /// Frames of content known to have been heard; goes back only where a stream broke off.
    package private(set) var heard: Int64 = 0
    /// Source frames of a pass; nil while unknown.
    package var length: Int64?

    package init(base: Int64 = 0, length: Int64? = nil) {
        self.base = base
        self.length = length
    }

    package mutating func wrote(_ frames: Int64) {
        precondition(silence == 0, "content is never written behind silence")
        written += frames
    }

    package mutating func wroteSilence(_ frames: Int64) {
        silence += frames
    }

    /// A source frame as the sound goes on from it: in a loop the end of a pass is the first frame of the next.
    package func onward(_ source: Int64, looped: Bool) -> Int64 { looped && source == length ? 0 : source }

    /// The application's pointer was set back: silence is taken back first, then content.
    package mutating func rewound(_ frames: Int64) {
        let fromSilence = min(frames, silence)
        silence -= fromSilence
        written -= min(frames - fromSilence, written - heard)
    }

    /// The device went on for `frames` beyond what stands written: sound that had been taken back too late.
    package mutating func overran(_ frames: Int64) {
        written += frames
    }

    /// The device has `ahead` frames still to play.
    package mutating func observe(ahead: Int64) {
        heard = max(heard, min(written, written + silence - max(0, ahead)))
    }

    /// The device ran dry, or will play to the end of what it has: everything written is heard.
    package mutating func observeAll() {
        heard = written
        silence = 0
    }

    /// The stream broke off: no more than `frames` of content are sure to have been heard. The one way in which `heard` goes back.
    package mutating func brokeOff(at frames: Int64) {
        heard = max(0, min(frames, written))
        silence = 0
    }

    /// What was written and not heard will never be heard: the stream was dropped.
    package mutating func forgetUnheard() {
        written = heard
        silence = 0
    }

    /// The frames in flight that are content.
    package func contentAhead(ahead: Int64) -> Int64 {
        max(0, min(ahead, written + silence) - silence)
    }

    /// The source frame of the `frame`th frame of content. At the very end of a pass: its length.
    package func source(_ frame: Int64) -> Int64 {
        let linear = base + frame
        guard let length, length > 0, linear > length else { return linear }
        let within = linear % length
        return within == 0 ? length : within
    }

    /// The source frame that is heard next.
    package var position: Int64 { source(heard) }
}
