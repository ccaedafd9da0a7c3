internal import CLinux
internal import OnstageCore
internal import OnstageLinux

/// What tells an MPEG audio file from all others, and whether it says how long it is.
struct MPEGHead: Hashable {
    /// It begins with an info frame that counts its frames.
    var hasLength: Bool

    /// One frame's header, as far as it is needed.
    private struct Frame {
        let bytes: Int
        /// Where an info frame has its name.
        let infoOffset: Int
        /// What is the same in all frames of a stream: version, layer and rate.
        let kind: UInt32

        init?(_ header: UInt32) {
            let (version, layer) = (header >> 19 & 3, header >> 17 & 3)
            let (bitRate, rate) = (Int(header >> 12 & 15), Int(header >> 10 & 3))
            guard header >> 21 == 0x7FF, version != 1, layer != 0, rate != 3, bitRate != 15, header & 3 != 2 else {
                return nil
            }
            let isFirst = version == 3
            let hertz = [44_100, 48_000, 32_000][rate] >> (isFirst ? 0 : version == 2 ? 1 : 2)
            let table = Self.bitRates[isFirst ? Int(3 - layer) : layer == 3 ? 3 : 4]
            let padding = Int(header >> 9 & 1)
            let bitsPerSecond = table[bitRate] * 1000
            bytes =
                switch layer {
                case 3: (12 * bitsPerSecond / hertz + padding) * 4
                case 2: 144 * bitsPerSecond / hertz + padding
                default: (isFirst ? 144 : 72) * bitsPerSecond / hertz + padding
                }
            let isMono = header >> 6 & 3 == 3
            infoOffset = 4 + (isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)) + (header & 0x1_0000 == 0 ? 2 : 0)
            kind = header & 0xFFFE_0C00
        }

        /// kbit/s: MPEG-1's layers I, II and III; then the later versions' layer I, and their II and III. 0 is "free".
        private static let bitRates: [[Int]] = [
            [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
            [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
            [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
            [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
            [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        ]
    }

    /// Nil where the file is something else, or cannot be read: for others to judge.
    init?(path: String) {
        let number = clinux_open(path, O_RDONLY | O_NONBLOCK)
        guard number >= 0 else { return nil }
        let file = Descriptor(owning: number)
        guard clinux_file_size(file.number) > 0 else { return nil }
        let found = withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { space -> MPEGHead? in
            var place: Int64 = 0
            // Tags may stand one behind the other.
            for _ in 0..<8 {
                let came = clinux_read_at(file.number, space.baseAddress, space.count, off_t(place))
                guard came >= 16 else { return nil }
                let bytes = UnsafeRawBufferPointer(rebasing: space[..<came])
                guard let tag = Self.tagLength(bytes) else { return MPEGHead(bytes, isTagged: place > 0) }
                place += tag
            }
            return nil
        }
        guard let found else { return nil }
        self = found
    }

    /// The length of the ID3v2 tag that `bytes` begin with.
    private static func tagLength(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard bytes[0] == UInt8(ascii: "I"), bytes[1] == UInt8(ascii: "D"), bytes[2] == UInt8(ascii: "3"),
            bytes[6..<10].allSatisfy({ $0 < 128 })
        else { return nil }
        let size = bytes[6..<10].reduce(Int64(0)) { $0 << 7 | Int64($1) }
        return 10 + size + (bytes[5] & 0x10 != 0 ? 10 : 0)
    }

    /// - Parameters:
    ///   - bytes: what stands behind the tags.
    ///   - isTagged: there was one, so that some padding may stand before the first frame.
    init?(_ bytes: UnsafeRawBufferPointer, isTagged: Bool) {
        var place = 0
        if isTagged { while place + 4 < bytes.count, bytes[place] == 0 { place += 1 } }
        guard let first = Self.frame(bytes, place), first.bytes > 4 else { return nil }
        // One header may be chance; two that agree are a stream. (A frame of the largest kind fits the look.)
        let next = place + first.bytes
        if next + 4 <= bytes.count {
            guard let second = Self.frame(bytes, next), second.kind == first.kind else { return nil }
        }
        let info = place + first.infoOffset
        hasLength =
            info + 8 <= bytes.count && (Self.word(bytes, info) == 0x5869_6E67 || Self.word(bytes, info) == 0x496E_666F)
            && bytes[info + 7] & 1 != 0
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
        bytes[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func frame(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Frame? {
        place + 4 <= bytes.count ? Frame(word(bytes, place)) : nil
    }
}
