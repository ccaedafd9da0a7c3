/// Turns the bytes of a buffer into numbers, for any layout that a kernel can describe.
///
/// The layout is read once; what is left for a value is one load and two shifts.
package struct SampleDecoder: Sendable {
    /// One value: loaded as 64 bits, shifted up against the top and back down, which masks and extends the sign at once.
    struct Field: Sendable {
        let offset: Int
        let bytes: Int
        let isBigEndian: Bool
        let isSigned: Bool
        // Both below 64.
        let up: UInt64
        let down: UInt64

        init(_ field: SampleLayout.Field) {
            let element = field.element
            offset = field.offset
            bytes = element.storageBytes
            isBigEndian = element.isBigEndian
            // A fully defined value is only shifted. What a shift moves in from the left is zero, so a sign bit counts only
            // where it was stored.
            let bits = element.isFullyDefined ? element.storageBits - element.shift : element.bits
            isSigned =
                element.isSigned
                && (element.isFullyDefined ? element.shift == 0 : bits + element.shift <= element.storageBits)
            let used = min(64, bits + element.shift)
            up = UInt64(64 - used)
            down = UInt64(64 - used + element.shift)
        }

        @inline(__always)
        func value(_ stored: UInt64, isSigned: Bool) -> Int64 {
            let top = stored &<< up
            return isSigned ? Int64(bitPattern: top) &>> Int64(bitPattern: down) : Int64(bitPattern: top &>> down)
        }

        @inline(__always)
        func load<Stored: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
            _ base: UnsafeRawPointer, as type: Stored.Type, isBigEndian: Bool, isSigned: Bool
        ) -> Int64 {
            let stored = base.loadUnaligned(fromByteOffset: offset, as: Stored.self)
            return value(UInt64(isBigEndian ? stored.bigEndian : stored.littleEndian), isSigned: isSigned)
        }

        func load(_ base: UnsafeRawPointer) -> Int64 {
            switch bytes {
            case 1: load(base, as: UInt8.self, isBigEndian: isBigEndian, isSigned: isSigned)
            case 2: load(base, as: UInt16.self, isBigEndian: isBigEndian, isSigned: isSigned)
            case 4: load(base, as: UInt32.self, isBigEndian: isBigEndian, isSigned: isSigned)
            default: load(base, as: UInt64.self, isBigEndian: isBigEndian, isSigned: isSigned)
            }
        }

        /// In the host's own form: nothing is to be shifted or turned round.
        var isPlain: Bool { up == UInt64(64 - bytes * 8) && down == up && !isBigEndian && isSigned }
    }

    package let step: Int
    private let x: Field
    private let y: Field
    private let z: Field
    private let timestamp: Field?
    /// The three axes are stored in one way: the loop then has no choice left in it.
    private let isUniform: Bool
    private let form: SampleRun.Form
    /// Where the time is, when it is a whole number of the host's.
    private let plainTime: Int?

    package init(_ layout: SampleLayout) {
        step = layout.step
        x = Field(layout.axes[0])
        y = Field(layout.axes[1])
        z = Field(layout.axes[2])
        timestamp = layout.timestamp.map { Field($0) }
        let (x, y, z) = (x, y, z)
        isUniform = [y, z].allSatisfy {
            $0.bytes == x.bytes && $0.isBigEndian == x.isBigEndian && $0.isSigned == x.isSigned
        }
        let isLikeX = [y, z].allSatisfy { $0.up == x.up && $0.down == x.down }
        switch (isUniform && isLikeX && !x.isBigEndian && x.isSigned, x.bytes) {
        case (true, 2): form = .in16
        case (true, 4) where x.isPlain && y.isPlain && z.isPlain: form = .whole32
        default: form = .decoded
        }
        plainTime = timestamp.flatMap { $0.isPlain && $0.bytes == 8 ? $0.offset : nil }
    }

    package var hasTimestamp: Bool { timestamp != nil }

    /// Decodes of `count` samples in `bytes` what ``run(_:decoded:times:)`` does not take from there itself.
    ///
    /// - Parameters:
    ///   - raw: room for `count` values.
    ///   - times: room for `count` timestamps; 0 where the layout has none.
    package func decode(
        _ bytes: UnsafeRawPointer, count: Int, raw: UnsafeMutablePointer<SIMD3<Int64>>,
        times: UnsafeMutablePointer<Int64>
    ) {
        if form == .decoded { decode(bytes, count, raw) }
        if plainTime == nil { decode(bytes, count, times) }
    }

    private func decode(_ bytes: UnsafeRawPointer, _ count: Int, _ raw: UnsafeMutablePointer<SIMD3<Int64>>) {
        switch (isUniform ? x.bytes : 0, x.isBigEndian, x.isSigned) {
        case (2, false, true): loop(bytes, count, raw, UInt16.self, false, true)
        case (4, false, true): loop(bytes, count, raw, UInt32.self, false, true)
        case (2, true, true): loop(bytes, count, raw, UInt16.self, true, true)
        case (4, true, true): loop(bytes, count, raw, UInt32.self, true, true)
        case (2, false, false): loop(bytes, count, raw, UInt16.self, false, false)
        case (4, false, false): loop(bytes, count, raw, UInt32.self, false, false)
        default: anyLoop(bytes, count, raw)
        }
    }

    private func decode(_ bytes: UnsafeRawPointer, _ count: Int, _ times: UnsafeMutablePointer<Int64>) {
        var sample = bytes
        for index in 0..<count {
            times[index] = timestamp?.load(sample) ?? 0
            sample += step
        }
    }

    /// Where samples are that were read into `bytes`, once what is not whole has been decoded.
    func run(
        _ bytes: UnsafeMutableRawPointer, decoded: UnsafeMutablePointer<SIMD3<Int64>>,
        times: UnsafeMutablePointer<Int64>
    ) -> SampleRun {
        let run = SampleRun(decoded, times)
        return SampleRun(
            form: form, bytes: form == .decoded ? run.bytes : bytes, step: form == .decoded ? run.step : step,
            axes: form == .decoded ? (0, 0, 0) : (x.offset, y.offset, z.offset),
            shifts: form == .in16 ? (Int32(x.up) - 32, Int32(x.down) - 32) : (0, 0),
            times: plainTime.map { bytes + $0 } ?? run.times, timeStep: plainTime == nil ? run.timeStep : step)
    }

    @inline(__always)
    private func loop<Stored: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawPointer, _ count: Int, _ raw: UnsafeMutablePointer<SIMD3<Int64>>, _ type: Stored.Type,
        _ isBigEndian: Bool, _ isSigned: Bool
    ) {
        var sample = bytes
        let (x, y, z) = (x, y, z)
        for index in 0..<count {
            raw[index] = SIMD3(
                x.load(sample, as: Stored.self, isBigEndian: isBigEndian, isSigned: isSigned),
                y.load(sample, as: Stored.self, isBigEndian: isBigEndian, isSigned: isSigned),
                z.load(sample, as: Stored.self, isBigEndian: isBigEndian, isSigned: isSigned))
            sample += step
        }
    }

    private func anyLoop(_ bytes: UnsafeRawPointer, _ count: Int, _ raw: UnsafeMutablePointer<SIMD3<Int64>>) {
        var sample = bytes
        for index in 0..<count {
            raw[index] = SIMD3(x.load(sample), y.load(sample), z.load(sample))
            sample += step
        }
    }
}
