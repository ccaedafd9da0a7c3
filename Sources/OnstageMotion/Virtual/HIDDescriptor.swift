/// A HID report descriptor as it is put together, item by item (HID 1.11, part 6.2.2; usages of page 0x20, Sensors).
struct HIDDescriptor {
    private(set) var bytes: [UInt8] = []

    /// What a collection stands for.
    enum Collection: Int64 {
        case physical = 0
        case application = 1
        case logical = 2
    }

    /// Whether a field is measured, or set by the host.
    enum Field: UInt8 {
        case input = 0x80
        case feature = 0xB0
    }

    mutating func usagePage(_ page: Int64) { item(0x04, page, size: 1) }
    mutating func reportID(_ number: UInt8) { item(0x84, Int64(number), size: 1) }

    mutating func collection(_ usage: Int64, _ kind: Collection, _ content: (inout HIDDescriptor) -> Void) {
        self.usage(usage)
        item(0xA0, kind.rawValue, size: 1)
        content(&self)
        bytes.append(0xC0)
    }

    /// One byte that holds which selector is in force, counted from 1.
    mutating func selector(_ usage: Int64, of selectors: ClosedRange<Int64>, _ field: Field) {
        self.usage(usage)
        range(1, Int64(selectors.count))
        shape(bits: 8)
        // The selectors are an array inside a logical collection: the report carries an index, not a bit each.
        item(0xA0, Collection.logical.rawValue, size: 1)
        for selector in selectors { self.usage(selector) }
        item(field.rawValue, 0, size: 1)
        bytes.append(0xC0)
    }

    /// A 32-bit number with a decimal exponent.
    mutating func number(_ usage: Int64, _ range: ClosedRange<Int64>, exponent: Int64, _ field: Field) {
        self.usage(usage)
        self.range(range.lowerBound, range.upperBound)
        item(0x54, exponent & 0x0F, size: 1)
        shape(bits: 32)
        item(field.rawValue, 2, size: 1)
    }

    private mutating func usage(_ usage: Int64) { item(0x08, usage, size: usage < 256 ? 1 : 2) }

    private mutating func range(_ least: Int64, _ most: Int64) {
        item(0x14, least, size: 4)
        item(0x24, most, size: 4)
    }

    private mutating func shape(bits: Int64) {
        item(0x74, bits, size: 1)
        item(0x94, 1, size: 1)
    }

    private mutating func item(_ tag: UInt8, _ value: Int64, size: Int) {
        bytes.append(tag | (size == 4 ? 3 : UInt8(size)))
        for byte in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * Int64(byte)))) }
    }
}
