internal import CLinux

/// The header of a WAV file, if it is one without a doubt: a RIFF of the file's very size with a `fmt ` whose numbers agree
/// and a `data` of whole frames inside.
struct PlainWAVHeader: Hashable {
    /// What is stored, little-endian.
    enum Sample: Hashable {
        case u8, s16, s24, s32, float

        var bytes: Int {
            switch self {
            case .u8: 1
            case .s16: 2
            case .s24: 3
            case .s32, .float: 4
            }
        }

        /// ALSA's name.
        var name: String {
            switch self {
            case .u8: "U8"
            case .s16: "S16_LE"
            case .s24: "S24_3LE"
            case .s32: "S32_LE"
            case .float: "FLOAT_LE"
            }
        }

        /// What it is handed over as; see ``SourceFormat``.
        var source: SourceFormat {
            switch self {
            case .u8, .s16: .s16
            case .s24: .s24
            case .s32: .s32
            case .float: .float
            }
        }

        /// Makes `count` samples of what is stored at `place`. It may lie at the end of the room that they take: each is
        /// read before its place is written.
        func spread(_ place: UnsafeMutableRawPointer, to samples: UnsafeMutableRawPointer, count: Int) {
            switch self {
            case .s16, .s32, .float:
                if place != samples { samples.copyMemory(from: place, byteCount: count * bytes) }
            case .u8:
                for index in 0..<count {
                    let value = Int16(place.load(fromByteOffset: index, as: UInt8.self)) - 128
                    samples.storeBytes(of: value << 8, toByteOffset: 2 * index, as: Int16.self)
                }
            case .s24:
                for index in 0..<count {
                    let low = UInt32(place.load(fromByteOffset: 3 * index, as: UInt8.self))
                    let middle = UInt32(place.load(fromByteOffset: 3 * index + 1, as: UInt8.self))
                    let high = UInt32(place.load(fromByteOffset: 3 * index + 2, as: UInt8.self))
                    samples.storeBytes(
                        of: low << 8 | middle << 16 | high << 24, toByteOffset: 4 * index, as: UInt32.self)
                }
            }
        }
    }

    var sample: Sample
    var rate: Int
    var channels: Int
    /// Which speakers they are for, a bit each; 0 where it does not say.
    var mask: UInt32
    /// Where the sound begins, in bytes.
    var dataOffset: Int64
    var frames: Int64

    /// How much of a file is looked at. A header that is longer is libsndfile's.
    private static let length = 4096

    /// Reads the file behind `descriptor`; nil where it is anything but plain.
    init?(_ descriptor: Int32) {
        let size = clinux_file_size(descriptor)
        guard size > 44 else { return nil }
        let header = withUnsafeTemporaryAllocation(byteCount: Self.length, alignment: 8) { bytes -> PlainWAVHeader? in
            let came = clinux_read_at(descriptor, bytes.baseAddress, bytes.count, 0)
            guard came > 44 else { return nil }
            return PlainWAVHeader(UnsafeRawBufferPointer(rebasing: bytes[..<came]), size: size)
        }
        guard let header else { return nil }
        self = header
    }

    /// - Parameters:
    ///   - bytes: the first ones of the file.
    ///   - size: of the file, in bytes.
    init?(_ bytes: UnsafeRawBufferPointer, size: Int64) {
        // Samples are handed over in the machine's own order.
        guard UInt16(littleEndian: 1) == 1 else { return nil }
        guard bytes.count >= 12, bytes.is("RIFF", 0), Int64(bytes.u32(4)) == size - 8, bytes.is("WAVE", 8) else {
            return nil
        }
        var format: (sample: Sample, rate: Int, channels: Int, mask: UInt32)?
        var place = 12
        while place + 8 <= bytes.count {
            let length = Int64(bytes.u32(place + 4))
            let body = place + 8
            if bytes.is("data", place) {
                guard let format else { return nil }
                let frame = Int64(format.sample.bytes * format.channels)
                guard length > 0, length % frame == 0, Int64(body) + length <= size else { return nil }
                (sample, rate, channels, mask) = format
                (dataOffset, frames) = (Int64(body), length / frame)
                return
            }
            guard Int64(body) + length <= Int64(bytes.count) else { return nil }
            if bytes.is("fmt ", place) {
                guard format == nil, let found = Self.format(bytes, body, Int(length)) else { return nil }
                format = found
            } else if !bytes.is("LIST", place), !bytes.is("JUNK", place), !bytes.is("fact", place) {
                return nil
            }
            place = body + Int(length) + Int(length & 1)
        }
        return nil
    }

    /// The `fmt ` chunk at `body`.
    private static func format(
        _ bytes: UnsafeRawBufferPointer, _ body: Int, _ length: Int
    ) -> (sample: Sample, rate: Int, channels: Int, mask: UInt32)? {
        guard length == 16 || length == 18 && bytes.u16(body + 16) == 0 || length == 40 && bytes.u16(body + 16) == 22
        else { return nil }
        let (channels, rate) = (bytes.u16(body + 2), bytes.u32(body + 4))
        let (perSecond, frame, bits) = (bytes.u32(body + 8), bytes.u16(body + 12), bytes.u16(body + 14))
        var tag = bytes.u16(body)
        if length == 40 {
            // The bits that count, all of them; and the tag at the head of the one GUID that all of ours have.
            guard tag == 0xFFFE, bytes.u16(body + 18) == bits, bytes.u32(body + 26) == 0,
                bytes.u32(body + 30) == 0x0080_0010, bytes.u32(body + 34) == 0x3800_AA00,
                bytes.u16(body + 38) == 0x719B
            else { return nil }
            tag = bytes.u16(body + 24)
        }
        let sample: Sample
        switch (tag, bits) {
        case (1, 8): sample = .u8
        case (1, 16): sample = .s16
        case (1, 24): sample = .s24
        case (1, 32): sample = .s32
        case (3, 32): sample = .float
        default: return nil
        }
        guard (1...32).contains(channels), (1...768_000).contains(rate), frame == channels * sample.bytes,
            perSecond == rate * frame
        else { return nil }
        return (sample, rate, channels, length == 40 ? UInt32(bytes.u32(body + 20)) : 0)
    }
}

extension UnsafeRawBufferPointer {
    /// Four letters at `place`.
    fileprivate func `is`(_ name: StaticString, _ place: Int) -> Bool {
        for index in 0..<4 where self[place + index] != name.utf8Start[index] { return false }
        return true
    }

    fileprivate func u16(_ place: Int) -> Int { Int(self[place]) | Int(self[place + 1]) << 8 }

    fileprivate func u32(_ place: Int) -> Int { u16(place) | u16(place + 2) << 16 }
}
