internal import OnstageCore

/// Sound on its way from a feed to a PCM: what stands ready to be written. Allocated once, and anew where a
/// device is set otherwise than before.
///
/// Where the device takes the very samples that the feed has, at full volume, they are handed on from where they lie.
struct SampleBlock: ~Copyable {
    private let conversion: SampleConversion
    /// The device takes the very samples that the feed has.
    let isSameFormat: Bool
    /// The device's writes are calls of the kernel's, which may be handed what only the kernel may read.
    let isLent: Bool
    /// Frames.
    let capacity: Int
    private let ready: UnsafeMutableRawBufferPointer
    /// As much of nothing.
    private let quiet: UnsafeMutableRawBufferPointer
    /// The frames that are ready.
    private(set) var samples: UnsafeRawPointer
    private(set) var count = 0
    /// For what only the kernel may read; made when it is needed first.
    private var copied = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private let sourceBytes: Int
    /// Of a frame as the device takes it.
    private let frameBytes: Int

    /// How the feed's channels become the device's; nil where they are the same.
    var matrix: ChannelMatrix? { conversion.matrix }

    /// - Parameters:
    ///   - channels: the feed's.
    ///   - matrix: how they become the device's; nil where they are the same.
    init(
        source: SourceFormat, target: SampleFormat, channels: Int, matrix: ChannelMatrix? = nil, capacity: Int,
        isLent: Bool = false
    ) {
        self.isLent = isLent
        sourceBytes = channels * source.bytes
        conversion = SampleConversion(source: source, target: target, channels: channels, matrix: matrix)
        isSameFormat = target.isSame(as: source) && conversion.matrix == nil
        frameBytes = conversion.targetBytes
        self.capacity = capacity
        let bytes = max(16, capacity * frameBytes)
        ready = .allocate(byteCount: bytes, alignment: 64)
        quiet = .allocate(byteCount: bytes, alignment: 64)
        quiet.initializeMemory(as: UInt8.self, repeating: 0)
        samples = UnsafeRawPointer(start: ready)
    }

    deinit {
        ready.deallocate()
        copied.deallocate()
        quiet.deallocate()
    }

    var silence: UnsafeRawPointer { UnsafeRawPointer(start: quiet) }

    /// The first `frames` have been written.
    mutating func take(_ frames: Int) {
        samples += frames * frameBytes
        count -= frames
    }

    mutating func removeAll() {
        count = 0
    }

    /// Makes the feed's next frames ready, at most `wanted` and as many as lie in one piece.
    ///
    /// What comes at levels of its own, frame by frame, is a piece by itself: the long rest of a ring that was taken back
    /// takes time, in which the little that stands before it would be played out.
    ///
    /// - Parameter first: the first one's number as `gain` counts.
    /// - Throws: what kept the media from being read.
    mutating func fill(
        _ wanted: Int, from feed: MediaFeed, looped: Bool, _ gain: borrowing GainEnvelope, at first: Int64
    ) throws(DeviceError) -> MediaFeed.Piece {
        count = 0
        let piece = try feed.piece(min(wanted, capacity), looped: looped)
        guard case .frames(var from, var frames) = piece else { return piece }
        let level = gain.constant(first, frames)
        if level == nil, first + Int64(frames) > gain.settled { frames = Int(gain.settled - first) }
        let isAsIs = isSameFormat && level == 1
        if feed.isMapped, !(isAsIs && isLent) {
            if copied.count == 0 { copied = .allocate(byteCount: max(16, capacity * sourceBytes), alignment: 64) }
            guard let space = copied.baseAddress else { return .notYet }
            frames = feed.copy(from, frames, to: space)
            if frames == 0 { return .notYet }
            from = UnsafeRawPointer(space)
        }
        if isAsIs {
            samples = from
        } else if let to = ready.baseAddress {
            conversion.run(from, to, frames: frames, gain, at: first)
            samples = UnsafeRawPointer(to)
        }
        count = frames
        return .frames(from, frames)
    }
}

extension UnsafeRawPointer {
    fileprivate init(start buffer: UnsafeMutableRawBufferPointer) {
        self = UnsafeRawPointer(buffer.baseAddress.unsafelyUnwrapped)  // never empty: allocated above
    }
}

extension SampleFormat {
    fileprivate func isSame(as source: SourceFormat) -> Bool {
        switch (self, source) {
        case (.s16, .s16), (.s32, .s24), (.s32, .s32), (.float, .float): true
        default: false
        }
    }
}
