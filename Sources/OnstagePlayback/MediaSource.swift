package import OnstageCore

/// Sound that can be read frame by frame from any frame on.
///
/// *Runs on:* one thread at a time: made on any, then handed to a ``MediaFeed``, and never touched elsewhere again. It may
/// take its time where the feed has a thread of its own.
package protocol MediaSource: AnyObject, Sendable {
    var info: MediaInfo { get }
    /// The type that ``read(into:frames:)`` fills in.
    var format: SourceFormat { get }

    /// The frame that is read next.
    /// - Throws: `inputOutput` when the source cannot go there.
    func seek(to frame: Int64) throws(DeviceError)

    /// Whether it comes when it comes: then it is waited for without end, in silence.
    var isLive: Bool { get }

    /// Where it lies in memory as it is read, for the kernel alone; nil for what has to be read.
    var map: MediaMap? { get }

    /// Fills in up to `frames` frames, interleaved; answers how many, 0 at the end, ``nothingYet`` where there may be some
    /// later. Allocates nothing.
    /// - Throws: `inputOutput` when the source cannot be read.
    func read(into samples: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int
}

extension MediaSource {
    package var isLive: Bool { false }
    package var map: MediaMap? { nil }

    /// The answer of ``read(into:frames:)`` that is no number of frames.
    package static var nothingYet: Int { -1 }
}
