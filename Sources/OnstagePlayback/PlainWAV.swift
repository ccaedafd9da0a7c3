internal import CLinux
internal import OnstageCore
internal import OnstageLinux

/// A WAV file in which nothing is to be decoded or to be guessed, read without libsndfile: to load it takes longer than
/// everything else between the start of a program and its first sound.
///
/// Only where every number of the header agrees with every other and with the file (``PlainWAVHeader``); whatever is odd is
/// for libsndfile to judge. Tests hold the two to the same answers, bit by bit.
final class PlainWAV: MediaSource {
    let info: MediaInfo
    let format: SourceFormat
    let map: MediaMap?
    private let file: Descriptor
    private let layout: PlainWAVHeader
    /// The frame that is read next. Unchecked: one thread at a time uses it (``MediaSource``).
    nonisolated(unsafe) private var next: Int64 = 0

    /// Nil where the file is no plain WAV.
    /// - Throws: `absent`, `permission` and so on by the errno of `open`.
    init?(path: String) throws(DeviceError) {
        let file = try Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        guard let layout = PlainWAVHeader(file.number) else { return nil }
        // Handed over as it is stored: then it need not pass our hands.
        map =
            layout.sample.bytes == layout.sample.source.bytes
            ? MediaMap(
                file: file.number, dataOffset: layout.dataOffset, frames: layout.frames,
                frameBytes: layout.sample.bytes * layout.channels) : nil
        self.file = file
        self.layout = layout
        format = layout.sample.source
        var info = MediaInfo(
            name: path, rate: layout.rate, channels: layout.channels, format: layout.sample.name, frames: layout.frames)
        if layout.mask != 0 { info.layout = ChannelLayout(mask: layout.mask, count: layout.channels) }
        self.info = info
    }

    func seek(to frame: Int64) throws(DeviceError) {
        next = frame
    }

    func read(into samples: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int {
        let wanted = Int(min(Int64(frames), layout.frames - next))
        guard wanted > 0 else { return 0 }
        let stored = layout.sample.bytes * layout.channels
        let room = format.bytes * layout.channels * wanted
        // What grows is read into the end of its room, and spread out from there.
        let place = samples + (room - stored * wanted)
        var came = 0
        while came < stored * wanted {
            let offset = layout.dataOffset + next * Int64(stored) + Int64(came)
            let answer = clinux_read_at(file.number, place + came, stored * wanted - came, off_t(offset))
            guard answer >= 0 else {
                throw DeviceError(
                    errno: Int32(-answer), operation: "read", device: info.name,
                    advice: "the file is damaged, or its disk is gone")
            }
            if answer == 0 { break }  // somebody has cut it short meanwhile
            came += answer
        }
        let whole = came / stored
        layout.sample.spread(place, to: samples, count: whole * layout.channels)
        next += Int64(whole)
        return whole
    }
}
