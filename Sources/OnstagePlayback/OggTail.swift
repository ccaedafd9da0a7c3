internal import CLinux
internal import OnstageLinux

/// The last pages of an Ogg file: where they begin, in frames, and whether they are the stream's own end.
///
/// libsndfile 1.2 needs help there: it lands beside the place when a seek in Vorbis ends on the last page, whose blocks hold
/// more than it counts, and knows no length for a file that was cut short.
struct OggTail: Hashable {
    /// The granule position at the end of the last page that has one.
    var end: Int64
    /// The granule position at the end of the page before: what lies behind it is on the last page.
    var lastPage: Int64
    /// The last page says that it is the last.
    var isWhole: Bool
    /// The last page belongs to another stream than the first: libsndfile plays the first one only.
    var isChained: Bool

    /// A page has 65,307 bytes at most; two whole ones and the rest of a third lie in here.
    private static let window: Int64 = 4 * 65_536

    /// Nil where the file is not Ogg, or has no two pages with a position.
    init?(path: String) {
        let number = clinux_open(path, O_RDONLY | O_NONBLOCK)
        guard number >= 0 else { return nil }
        let file = Descriptor(owning: number)
        let size = clinux_file_size(file.number)
        guard size > 0 else { return nil }
        let from = max(0, size - Self.window)
        let found = withUnsafeTemporaryAllocation(byteCount: Int(size - from), alignment: 8) { bytes -> OggTail? in
            let came = clinux_read_at(file.number, bytes.baseAddress, bytes.count, off_t(from))
            guard came == bytes.count else { return nil }
            let first = withUnsafeTemporaryAllocation(byteCount: 18, alignment: 8) { head -> UInt32? in
                guard clinux_read_at(file.number, head.baseAddress, 18, 0) == 18 else { return nil }
                let head = UnsafeRawBufferPointer(head)
                return Self.isPage(head, 0) ? head.loadUnaligned(fromByteOffset: 14, as: UInt32.self) : nil
            }
            return first.flatMap { OggTail(UnsafeRawBufferPointer(bytes), first: $0) }
        }
        guard let found else { return nil }
        self = found
    }

    /// - Parameters:
    ///   - bytes: the end of a file.
    ///   - first: the serial number of its first page.
    init?(_ bytes: UnsafeRawBufferPointer, first: UInt32) {
        var ends: (before: Int64?, last: Int64?) = (nil, nil)
        var (flags, serial): (UInt8, UInt32) = (0, first)
        var place = 0
        while place + 27 <= bytes.count {
            guard Self.isPage(bytes, place), let length = Self.length(bytes, place) else {
                place += 1
                continue
            }
            let granule = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 6, as: Int64.self))
            // A page cut short has not come to its end: what it would have ended at is not there.
            guard place + length <= bytes.count else { break }
            serial = bytes.loadUnaligned(fromByteOffset: place + 14, as: UInt32.self)
            if serial == first {
                flags = bytes[place + 5]
                if granule >= 0 { ends = (ends.last, granule) }
            }
            place += length
        }
        guard let end = ends.last else { return nil }
        self.end = end
        lastPage = ends.before ?? 0
        isWhole = flags & 4 != 0
        isChained = serial != first
    }

    private static func isPage(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Bool {
        bytes[place] == UInt8(ascii: "O") && bytes[place + 1] == UInt8(ascii: "g")
            && bytes[place + 2] == UInt8(ascii: "g")
            && bytes[place + 3] == UInt8(ascii: "S") && bytes[place + 4] == 0
    }

    /// The bytes of the page at `place`; nil where its table is not all there.
    private static func length(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Int? {
        let segments = Int(bytes[place + 26])
        guard place + 27 + segments <= bytes.count else { return nil }
        return bytes[(place + 27)..<(place + 27 + segments)].reduce(27 + segments) { $0 + Int($1) }
    }
}
