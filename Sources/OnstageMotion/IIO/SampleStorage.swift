internal import CLinux

/// Room for the samples of one read, made once for each acquire.
///
/// *Runs on:* the device's thread.
struct SampleStorage: ~Copyable {
    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var raw = UnsafeMutableBufferPointer<SIMD3<Int64>>(start: nil, count: 0)
    private var times = UnsafeMutableBufferPointer<Int64>(start: nil, count: 0)
    private var decoder: SampleDecoder?
    private var step = 1
    /// Where the samples of a reading are: nil until there is room.
    private(set) var run: SampleRun?
    /// Bytes that wait to be decoded; less than a sample stays for the next read.
    private var filled = 0
    /// The last read took all there was room for: there may be more.
    private(set) var wasFilled = false

    init() {}

    deinit {
        bytes.deallocate()
        raw.deallocate()
        times.deallocate()
    }

    /// Samples that one reading may have.
    var capacity: Int { max(1, raw.count) }

    /// Answers how many samples one reading may have now.
    mutating func reserve(samples: Int, _ decoder: SampleDecoder) -> Int {
        self.decoder = decoder
        let step = decoder.step
        filled = 0
        let samples = max(64, samples)
        guard bytes.count < samples * step || raw.count < samples || step != self.step else {
            setRun(decoder)
            return capacity
        }
        bytes.deallocate()
        raw.deallocate()
        times.deallocate()
        self.step = step
        bytes = .allocate(byteCount: samples * step, alignment: 16)
        raw = .allocate(capacity: samples)
        raw.initialize(repeating: .zero)
        times = .allocate(capacity: samples)
        times.initialize(repeating: 0)
        setRun(decoder)
        return samples
    }

    private mutating func setRun(_ decoder: SampleDecoder) {
        guard let start = bytes.baseAddress, let values = raw.baseAddress, let stamps = times.baseAddress else {
            return
        }
        run = decoder.run(UnsafeMutableRawPointer(start), decoded: values, times: stamps)
    }

    /// Reads what there is; answers how many bytes there are now, 0 at the end of the file, or minus errno.
    mutating func fill(from descriptor: Int32) -> Int {
        guard let start = bytes.baseAddress else { return -Int(EAGAIN) }
        let room = bytes.count - filled
        let answer = clinux_read(descriptor, start + filled, room)
        wasFilled = answer == room
        guard answer > 0 else { return answer }
        filled += answer
        return filled
    }

    /// Makes all whole samples ready, and answers how many: they are in ``run`` until ``keepRest(_:)``.
    mutating func take() -> Int {
        let count = filled / step
        guard count > 0, let decoder, let start = bytes.baseAddress, let values = raw.baseAddress,
            let stamps = times.baseAddress
        else { return 0 }
        decoder.decode(start, count: count, raw: values, times: stamps)
        return count
    }

    /// Less than a sample stays for the next read.
    mutating func keepRest(_ count: Int) {
        let rest = filled - count * step
        if rest > 0, let start = bytes.baseAddress { start.copyMemory(from: start + count * step, byteCount: rest) }
        filled = rest
    }
}
