/// Where a JPEG picture begins and ends.
enum JPEGBounds {
    /// SOI at the start and EOI at the end, with padding behind it (zeros or 0xFF) allowed. Reads a few bytes only.
    static func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0xff, bytes[1] == 0xd8 else { return false }
        let end = end(bytes)
        return bytes[end - 1] == 0xd9 && bytes[end - 2] == 0xff
    }

    /// Where it ends, without its padding. For four bytes at least.
    static func end(_ bytes: UnsafeRawBufferPointer) -> Int {
        var end = bytes.count
        // Cameras pad to what their transfers hold.
        while end > 2, bytes[end - 1] == 0 { end -= 1 }
        while end > 3, bytes[end - 1] == 0xff { end -= 1 }
        while end > 2, bytes[end - 1] == 0 { end -= 1 }
        return end
    }

    /// Whether its Huffman tables are in it: many cameras leave them out, and few programs know them by heart.
    static func hasTables(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var at = 2
        while at + 4 <= bytes.count, bytes[at] == 0xff {
            let marker = bytes[at + 1]
            if marker == 0xff {
                at += 1
                continue
            }
            if marker == 0xc4 { return true }
            if marker == 0xda || marker == 0xd9 { return false }
            at += 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
        }
        return false
    }
}
