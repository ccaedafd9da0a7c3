package import OnstageCore

/// Sound that somebody else makes, taken through closures: an app's own, or a pipe's.
///
/// It may keep whoever reads it waiting; then there is silence, and no fault.
package final class PCMSource: MediaSource {
    /// Fills in up to so many frames, interleaved; answers how many, 0 where none has come yet, nil at the end.
    package typealias Fill = @Sendable (UnsafeMutableRawPointer, Int) throws(DeviceError) -> Int?

    package let info: MediaInfo
    package let format: SourceFormat
    package var isLive: Bool { true }
    private let seek: (@Sendable (Int64) throws(DeviceError) -> Void)?
    private let fill: Fill

    /// - Parameters:
    ///   - length: frames of a pass; nil where that is not known.
    ///   - seek: the next frame that `fill` is to give; nil where it cannot be chosen. Called on the thread of `fill`.
    /// - Throws: `configuration` for a rate outside of 1…768,000 Hz, channels outside of 1…32, a negative length.
    package init(
        name: String, stored: String, format: SourceFormat, rate: Int, channels: Int, length: Int64? = nil,
        seek: (@Sendable (Int64) throws(DeviceError) -> Void)? = nil, fill: @escaping Fill
    ) throws(DeviceError) {
        guard (1...768_000).contains(rate), (1...32).contains(channels), length ?? 0 >= 0 else {
            throw DeviceError(
                .configuration, operation: "", device: name,
                reason: "\(rate) Hz with \(channels) channels"
                    + (length.map { " and \($0) frames" } ?? "") + " is out of range",
                advice: "1…768000 Hz and 1…32 channels can be played")
        }
        self.format = format
        self.seek = seek
        self.fill = fill
        info = MediaInfo(
            name: name, rate: rate, channels: channels, format: stored, frames: length ?? 0, hasLength: length != nil,
            isSeekable: seek != nil)
    }

    package func seek(to frame: Int64) throws(DeviceError) {
        guard let seek else {
            throw DeviceError(
                .configuration, operation: "", device: info.name,
                reason: "it cannot be gone on with from frame \(frame)")
        }
        try seek(frame)
    }

    package func read(into samples: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int {
        guard let came = try fill(samples, frames) else { return 0 }
        precondition((0...frames).contains(came), "more frames were filled in than there is room for")
        return came > 0 ? came : Self.nothingYet
    }
}
