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

    /// Fills in up to `frames` frames, interleaved; answers how many, 0 at the end. Allocates nothing.
    /// - Throws: `inputOutput` when the source cannot be read.
    func read(into samples: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int
}
