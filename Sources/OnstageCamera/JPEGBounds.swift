/// Whether a JPEG picture begins and ends.
enum JPEGBounds {
    /// SOI at the start and EOI at the end, with padding behind it (zeros or 0xFF) allowed. Reads a few bytes only.
    static func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0xff, bytes[1] == 0xd8 else { return false }
        var end = bytes.count
        // Cameras pad to what their transfers hold.
        while end > 2, bytes[end - 1] == 0 { end -= 1 }
        while end > 3, bytes[end - 1] == 0xff { end -= 1 }
        while end > 2, bytes[end - 1] == 0 { end -= 1 }
        return bytes[end - 1] == 0xd9 && bytes[end - 2] == 0xff
    }
}
