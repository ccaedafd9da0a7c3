public import OnstageCore
internal import OnstagePlayback
internal import OnstageStore

extension Player {
    /// Plays sound that the app makes itself.
    ///
    ///     let player = try Player(rate: 48_000, channels: 2) { (samples: inout MutableSpan<Float>) in
    ///         synth.render(into: &samples)  // all of it
    ///         return samples.count / 2
    ///     }
    ///
    /// `fill` is handed room for some frames, channels interleaved, and answers how many it has filled in: 0 where it has none
    /// yet (there is silence, and it is asked again within 10 ms), nil at the end of the sound. It may be handed less room
    /// than it would like.
    ///
    /// A pause holds the place to the frame: what was asked for and not heard is kept, and played first when it goes on.
    ///
    /// *Runs on:* `place`, one call at a time, `seek` too. `.queued`: a thread of its own, some 100 ms ahead of what the device
    /// is given; it may wait for its samples as long as it likes, there is silence meanwhile, and no pause waits for it.
    /// `.inline`: the device's thread, for work shorter than a period; everything of that device, a release too, waits for its
    /// return. Neither allocates.
    ///
    /// - Parameters:
    ///   - channels: more than two in the order of WAV files: FL FR FC LFE RL RR SL SR.
    ///   - length: frames of the whole sound; nil where that is not known.
    ///   - positions: where its position is kept, under ``Options/key``; only for sound that can be sought.
    ///   - name: its name in receipts, events and the report.
    ///   - seek: the next frame to be filled in is this one; nil where that cannot be chosen: then ``seek(to:)`` and
    ///     ``isLooped`` have no effect.
    /// - Throws: `configuration` for a rate outside of 1…768,000 Hz, channels outside of 1…32, a negative length, positions
    ///   without a key; `tooMany` when the process is out of descriptors.
    public convenience init<Sample: PCMSample>(
        rate: Int, channels: Int, length: Int64? = nil, _ options: Options = Options(), place: SinkPlace = .queued,
        positions: Positions? = nil, name: String = "playback",
        seek: (@Sendable (_ frame: Int64) -> Void)? = nil,
        fill: @escaping @Sendable (_ samples: inout MutableSpan<Sample>) -> Int?
    ) throws(DeviceError) {
        let read: PCMSource.Fill = { (room: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int? in
            let samples = UnsafeMutableBufferPointer(
                start: room.bindMemory(to: Sample.self, capacity: frames * channels), count: frames * channels)
            var span = samples.mutableSpan
            return fill(&span)
        }
        var go: (@Sendable (Int64) throws(DeviceError) -> Void)?
        if let seek { go = { (frame: Int64) throws(DeviceError) in seek(frame) } }
        let source = try PCMSource(
            name: "the app's own sound", stored: Sample.format.name, format: Sample.format.source, rate: rate,
            channels: channels, length: length, seek: go, fill: read)
        var journal: MediaJournal?
        if let positions, seek != nil {
            guard let key = options.key else {
                throw DeviceError(
                    .configuration, operation: "", device: source.info.name,
                    reason: "what is its position to be kept under? It has no file", advice: "give it a key")
            }
            journal = MediaJournal(
                store: positions.store, media: MediaIdentity(key: key), rate: Int64(rate), frames: length)
        }
        let feed =
            switch place {
            case .queued: try MediaFeed(source, ahead: .milliseconds(100), kept: options.kept)
            case .inline: MediaFeed(source)
            }
        self.init(feed: feed, options, journal: journal, name: name)
    }

    /// Plays samples without a header, interleaved and little-endian, as they come from a pipe, which stays the caller's.
    package convenience init(
        pipe descriptor: Int32, _ sample: RawPCM.Sample, rate: Int, channels: Int, _ options: Options = Options(),
        name: String = "playback"
    ) throws(DeviceError) {
        let source = try RawPCM.source(descriptor, name: "standard input", sample, rate: rate, channels: channels)
        let feed = try MediaFeed(source, ahead: .milliseconds(100), kept: options.kept)
        self.init(feed: feed, options, journal: nil, name: name)
    }
}
