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
        func value(_ stored: UInt64) -> Int64 {
            let top = stored << up
            return isSigned ? Int64(bitPattern: top) >> Int64(down) : Int64(bitPattern: top >> down)
        }

        @inline(__always)
        func load<Stored: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
            _ base: UnsafeRawPointer, as type: Stored.Type
        ) -> Int64 {
            let stored = base.loadUnaligned(fromByteOffset: offset, as: Stored.self)
            return value(UInt64(isBigEndian ? stored.bigEndian : stored.littleEndian))
        }

        func load(_ base: UnsafeRawPointer) -> Int64 {
            switch bytes {
            case 1: load(base, as: UInt8.self)
            case 2: load(base, as: UInt16.self)
            case 4: load(base, as: UInt32.self)
            default: load(base, as: UInt64.self)
            }
        }
    }

    package let step: Int
    private let x: Field
    private let y: Field
    private let z: Field
    private let timestamp: Field?
    /// The three axes are stored in equally many bytes: the loop then has no choice left in it.
    private let isUniform: Bool

    package init(_ layout: SampleLayout) {
        step = layout.step
        x = Field(layout.axes[0])
        y = Field(layout.axes[1])
        z = Field(layout.axes[2])
        timestamp = layout.timestamp.map { Field($0) }
        isUniform = x.bytes == y.bytes && y.bytes == z.bytes
    }

    package var hasTimestamp: Bool { timestamp != nil }

    /// Decodes `count` samples from `bytes`.
    ///
    /// - Parameters:
    ///   - raw: room for `count` values.
    ///   - times: room for `count` timestamps; 0 where the layout has none.
    package func decode(
        _ bytes: UnsafeRawPointer, count: Int, raw: UnsafeMutablePointer<SIMD3<Int64>>,
        times: UnsafeMutablePointer<Int64>
    ) {
        switch isUniform ? x.bytes : 0 {
        case 1: loop(bytes, count, raw) { $1.load($0, as: UInt8.self) }
        case 2: loop(bytes, count, raw) { $1.load($0, as: UInt16.self) }
        case 4: loop(bytes, count, raw) { $1.load($0, as: UInt32.self) }
        case 8: loop(bytes, count, raw) { $1.load($0, as: UInt64.self) }
        default: loop(bytes, count, raw) { $1.load($0) }
        }
        for index in 0..<count {
            times[index] = timestamp?.load(bytes + index * step) ?? 0
        }
    }

    @inline(__always)
    private func loop(
        _ bytes: UnsafeRawPointer, _ count: Int, _ raw: UnsafeMutablePointer<SIMD3<Int64>>,
        _ load: (UnsafeRawPointer, Field) -> Int64
    ) {
        var sample = bytes
        for index in 0..<count {
            raw[index] = SIMD3(load(sample, x), load(sample, y), load(sample, z))
            sample += step
        }
    }
}
