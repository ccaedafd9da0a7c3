/// Where the samples of one reading lie: as the device wrote them, if those are whole numbers of the host's, else decoded.
@usableFromInline
struct SampleRun {
    @usableFromInline
    enum Form: Sendable {
        /// An array of `SIMD3<Int64>`.
        case decoded
        /// Signed numbers in 16 bits, to be shifted up and down again.
        case in16
        /// Whole numbers of 32 bits.
        case whole32
    }

    @usableFromInline let form: Form
    /// The first sample.
    @usableFromInline var bytes: UnsafeMutableRawPointer
    /// Bytes from one sample to the next.
    @usableFromInline let step: Int
    // Bytes from the beginning of a sample.
    @usableFromInline let x: Int
    @usableFromInline let y: Int
    @usableFromInline let z: Int
    // Of numbers in 16 bits, as shifts of 32.
    @usableFromInline let up: Int32
    @usableFromInline let down: Int32
    /// The first time, a whole number of the host's.
    @usableFromInline var times: UnsafeMutableRawPointer
    @usableFromInline let timeStep: Int

    /// Of decoded samples.
    init(_ raw: UnsafeMutablePointer<SIMD3<Int64>>, _ times: UnsafeMutablePointer<Int64>) {
        form = .decoded
        bytes = UnsafeMutableRawPointer(raw)
        step = MemoryLayout<SIMD3<Int64>>.stride
        (x, y, z) = (0, 0, 0)
        (up, down) = (0, 0)
        self.times = UnsafeMutableRawPointer(times)
        timeStep = MemoryLayout<Int64>.stride
    }

    init(
        form: Form, bytes: UnsafeMutableRawPointer, step: Int, axes: (x: Int, y: Int, z: Int),
        shifts: (up: Int32, down: Int32),
        times: UnsafeMutableRawPointer, timeStep: Int
    ) {
        self.form = form
        self.bytes = bytes
        self.step = step
        (x, y, z) = axes
        (up, down) = shifts
        self.times = times
        self.timeStep = timeStep
    }

    /// The same without the first `count`.
    func dropping(_ count: Int) -> SampleRun {
        var run = self
        run.bytes += count * step
        run.times += count * timeStep
        return run
    }

    @inlinable
    @inline(__always)
    func raw(_ index: Int) -> SIMD3<Int64> {
        let sample = bytes + index &* step
        switch form {
        case .decoded: return sample.load(as: SIMD3<Int64>.self)
        case .whole32:
            return SIMD3(
                Int64(sample.loadUnaligned(fromByteOffset: x, as: Int32.self)),
                Int64(sample.loadUnaligned(fromByteOffset: y, as: Int32.self)),
                Int64(sample.loadUnaligned(fromByteOffset: z, as: Int32.self)))
        case .in16: return SIMD3(in16(sample, x), in16(sample, y), in16(sample, z))
        }
    }

    @inlinable
    @inline(__always)
    func in16(_ sample: UnsafeMutableRawPointer, _ offset: Int) -> Int64 {
        Int64((Int32(sample.loadUnaligned(fromByteOffset: offset, as: UInt16.self)) &<< up) &>> down)
    }

    @inlinable
    @inline(__always)
    func time(_ index: Int) -> Int64 {
        (times + index &* timeStep).loadUnaligned(as: Int64.self)
    }

    func set(time: Int64, _ index: Int) {
        (times + index * timeStep).storeBytes(of: time, as: Int64.self)
    }

    /// Puts one sample in the place of another.
    func move(_ from: Int, to: Int) {
        let time = time(from)
        (bytes + to * step).copyMemory(from: bytes + from * step, byteCount: step)
        set(time: time, to)
    }
}
