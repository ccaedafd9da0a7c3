internal import OnstageCore

/// Sound decoded and converted, on its way to a PCM: what was read and not written yet. Allocated once per acquire.
struct SampleBlock: ~Copyable {
    private let source: SourceFormat
    private let target: SampleFormat
    private let channels: Int
    /// Frames.
    let capacity: Int
    private let decoded: UnsafeMutableRawBufferPointer
    private let ready: UnsafeMutableRawBufferPointer
    /// As much of nothing.
    private let quiet: UnsafeMutableRawBufferPointer
    private var start = 0
    private(set) var count = 0
    private var gain: Double

    init(source: SourceFormat, target: SampleFormat, channels: Int, capacity: Int, gain: Double) {
        self.source = source
        self.target = target
        self.channels = channels
        self.capacity = capacity
        self.gain = gain
        decoded = .allocate(byteCount: max(16, capacity * channels * source.bytes), alignment: 16)
        ready = .allocate(byteCount: max(16, capacity * channels * target.bytes), alignment: 16)
        quiet = .allocate(byteCount: max(16, capacity * channels * target.bytes), alignment: 16)
        quiet.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        decoded.deallocate()
        ready.deallocate()
        quiet.deallocate()
    }

    private var frameBytes: Int { channels * target.bytes }

    /// The frames that are ready.
    var samples: UnsafeRawPointer { UnsafeRawPointer(start: ready, offset: start * frameBytes) }

    var silence: UnsafeRawPointer { UnsafeRawPointer(start: quiet, offset: 0) }

    /// The first `frames` have been written.
    mutating func take(_ frames: Int) {
        start += frames
        count -= frames
        if count == 0 { start = 0 }
    }

    mutating func removeAll() {
        start = 0
        count = 0
    }

    /// Reads on until `wanted` frames are ready or the media has no more; answers how many were read.
    mutating func fill(_ wanted: Int, from media: any MediaSource, gain newGain: Double) throws(DeviceError) -> Int {
        let missing = min(wanted, capacity) - count
        guard missing > 0, let space = decoded.baseAddress, let to = ready.baseAddress else { return 0 }
        if start > 0 {
            // What a short write left over: seldom, and small.
            to.copyMemory(from: to + start * frameBytes, byteCount: count * frameBytes)
            start = 0
        }
        let behind = to + count * frameBytes
        let isPlainCopy = newGain == 1 && gain == 1 && target.isSame(as: source)
        let came = try media.read(into: isPlainCopy ? behind : space, frames: missing)
        if !isPlainCopy, came > 0 {
            SampleConversion(source: source, target: target, channels: channels, from: gain, to: newGain)
                .run(space, behind, frames: came)
        }
        if came > 0 { gain = newGain }
        count += came
        return came
    }
}

extension UnsafeRawPointer {
    fileprivate init(start buffer: UnsafeMutableRawBufferPointer, offset: Int) {
        self = UnsafeRawPointer(buffer.baseAddress.unsafelyUnwrapped) + offset  // never empty: allocated above
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
