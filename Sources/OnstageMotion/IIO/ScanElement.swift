/// How one channel lies in a sample: "le:s12/16>>4", with its place in the order of channels.
package struct ScanElement: Hashable, Sendable {
    package var index: Int
    package var isBigEndian: Bool
    package var isSigned: Bool
    /// The value fills its storage already and is neither masked nor sign-extended (a capital S or U).
    package var isFullyDefined: Bool
    package var bits: Int
    package var storageBits: Int
    package var shift: Int
    /// So many values follow each other; the first counts here.
    package var repeats: Int

    /// From the text of a `_type` attribute and the number of the `_index` attribute; nil for a form that no kernel writes.
    package init?(type: String, index: Int) {
        var rest = type.utf8[...]
        func take(_ text: String) -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }
        func number() -> Int? {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            return Int(String(decoding: digits, as: UTF8.self))
        }
        if take("le:") { isBigEndian = false } else if take("be:") { isBigEndian = true } else { return nil }
        switch rest.popFirst() {
        case UInt8(ascii: "s"): (isSigned, isFullyDefined) = (true, false)
        case UInt8(ascii: "S"): (isSigned, isFullyDefined) = (true, true)
        case UInt8(ascii: "u"): (isSigned, isFullyDefined) = (false, false)
        case UInt8(ascii: "U"): (isSigned, isFullyDefined) = (false, true)
        default: return nil
        }
        guard let bits = number(), take("/"), let storageBits = number() else { return nil }
        repeats = 1
        if take("X") {
            guard let count = number(), (1...64).contains(count) else { return nil }
            repeats = count
        }
        shift = 0
        if take(">>") {
            guard let count = number() else { return nil }
            shift = count
        }
        guard rest.isEmpty, [8, 16, 32, 64].contains(storageBits), (1...storageBits).contains(bits),
            (0..<storageBits).contains(shift), index >= 0
        else { return nil }
        self.bits = bits
        self.storageBits = storageBits
        self.index = index
        if bits == storageBits { isFullyDefined = true }
    }

    /// Bytes of one value.
    var storageBytes: Int { storageBits / 8 }
    /// Bytes of all its values, and the boundary that it is aligned to.
    var length: Int { storageBytes * repeats }
}

extension ScanElement {
    /// One unsigned byte: stands where nothing is known yet.
    static let byte = ScanElement()

    private init() {
        self.init(
            index: 0, isBigEndian: false, isSigned: false, isFullyDefined: true, bits: 8, storageBits: 8, shift: 0,
            repeats: 1)
    }

    private init(
        index: Int, isBigEndian: Bool, isSigned: Bool, isFullyDefined: Bool, bits: Int, storageBits: Int, shift: Int,
        repeats: Int
    ) {
        self.index = index
        self.isBigEndian = isBigEndian
        self.isSigned = isSigned
        self.isFullyDefined = isFullyDefined
        self.bits = bits
        self.storageBits = storageBits
        self.shift = shift
        self.repeats = repeats
    }
}
