internal import CLinux
internal import CSndfile
internal import OnstageCore
internal import OnstageLinux

/// The first bytes of a file, looked at before libsndfile is asked: whether it is there at all, and what it claims to be.
struct FileHead {
    let path: String
    let size: Int64
    let magic: String

    /// - Throws: `absent`, `permission` and so on by the errno of `open`; `configuration` when it is not a regular file.
    init(path: String) throws(DeviceError) {
        self.path = path
        let file = try Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        size = clinux_file_size(file.number)
        guard size >= 0 else {
            throw DeviceError(
                .configuration, operation: "open", device: path, reason: "it is not a regular file",
                advice: "give the path of a sound file")
        }
        let number = file.number
        magic = withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { bytes in
            let came = clinux_read(number, bytes.baseAddress, bytes.count)
            return String(decoding: bytes.prefix(max(0, came)), as: UTF8.self)
        }
    }

    /// Whether the file, or as much of it as is looked at, holds nothing but zeros.
    private var isBlank: Bool {
        guard let file = try? Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK) else { return false }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { bytes in
            let came = clinux_read_at(file.number, bytes.baseAddress, bytes.count, 0)
            return came > 0 && bytes[..<came].allSatisfy { $0 == 0 }
        }
    }

    /// The error for a file that libsndfile refused, with its words (`said`).
    func refusal(_ said: String) -> DeviceError {
        let because =
            if size == 0 {
                "the file is empty"
            } else if size < 12 {
                "the file is too short (\(size) bytes)"
            } else if magic == "BW64" {
                "BW64 files are not known to libsndfile"
            } else if magic == "RF64" {
                "this RF64 file has no usable sizes: \(said)"
            } else if magic == "RIFF" {
                WAVDiagnosis.reason(path) ?? said
            } else if isBlank {
                "it holds nothing but zeros: its sound never reached the disk"
            } else if magic == "OggS" {
                "this Ogg file holds no Vorbis or Opus that can be decoded: \(said)"
            } else if said.hasPrefix("Format not recognised") {
                "it is no sound file of a known kind"
            } else {
                said
            }
        return DeviceError(
            .configuration, operation: "sf_open", device: path, reason: because,
            advice: "WAV, FLAC, Ogg, Opus, MP3 and AIFF files can be played")
    }
}

/// libsndfile's number for what is stored.
struct StoredFormat {
    let name: String
    let source: SourceFormat
    let isOgg: Bool
    let isVorbis: Bool
    let isOpus: Bool
    let isMPEG: Bool
    /// Every frame stands for itself: any can be entered.
    let isPlain: Bool

    init(_ number: Int32) {
        let sub = Int(number) & SF_FORMAT_SUBMASK
        let container = Int(number) & SF_FORMAT_TYPEMASK
        let isBig = container == SF_FORMAT_AIFF || Int(number) & SF_FORMAT_ENDMASK == SF_ENDIAN_BIG
        let end = isBig ? "BE" : "LE"
        switch sub {
        case SF_FORMAT_PCM_U8: (name, source) = ("U8", .s16)
        case SF_FORMAT_PCM_S8: (name, source) = ("S8", .s16)
        case SF_FORMAT_PCM_16: (name, source) = ("S16_\(end)", .s16)
        case SF_FORMAT_PCM_24: (name, source) = ("S24_3\(end)", .s24)
        case SF_FORMAT_PCM_32: (name, source) = ("S32_\(end)", .s32)
        case SF_FORMAT_FLOAT: (name, source) = ("FLOAT_\(end)", .float)
        case SF_FORMAT_DOUBLE: (name, source) = ("FLOAT64_\(end)", .float)
        case SF_FORMAT_ULAW: (name, source) = ("MU_LAW", .s16)
        case SF_FORMAT_ALAW: (name, source) = ("A_LAW", .s16)
        case SF_FORMAT_IMA_ADPCM: (name, source) = ("IMA_ADPCM", .s16)
        case SF_FORMAT_MS_ADPCM: (name, source) = ("MS_ADPCM", .s16)
        case SF_FORMAT_GSM610: (name, source) = ("GSM", .s16)
        case SF_FORMAT_VORBIS: (name, source) = ("Vorbis", .float)
        case SF_FORMAT_OPUS: (name, source) = ("Opus", .float)
        case SF_FORMAT_MPEG_LAYER_I, SF_FORMAT_MPEG_LAYER_II: (name, source) = ("MPEG", .float)
        case SF_FORMAT_MPEG_LAYER_III: (name, source) = ("MP3", .float)
        default: (name, source) = ("libsndfile format \(number)", .float)
        }
        isOgg = container == SF_FORMAT_OGG
        isVorbis = sub == SF_FORMAT_VORBIS
        isOpus = sub == SF_FORMAT_OPUS
        isMPEG = (SF_FORMAT_MPEG_LAYER_I...SF_FORMAT_MPEG_LAYER_III).contains(sub)
        isPlain =
            sub == SF_FORMAT_PCM_U8 || sub == SF_FORMAT_PCM_S8 || sub == SF_FORMAT_PCM_16 || sub == SF_FORMAT_PCM_24
            || sub == SF_FORMAT_PCM_32 || sub == SF_FORMAT_FLOAT || sub == SF_FORMAT_DOUBLE || sub == SF_FORMAT_ULAW
            || sub == SF_FORMAT_ALAW
    }
}

/// What libsndfile's reader wrote about a header, looked through for what is odd.
struct HeaderLog {
    private let lines: [Substring]

    init(_ text: String) {
        lines = text.split(separator: "\n")
    }

    private func number(_ label: String) -> Int64? {
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].split(separator: " ").first == label[...] else { continue }
            return parts[1].split(separator: " ").first.flatMap { Int64($0) }
        }
        return nil
    }

    /// One line for each oddity that does not keep the file from being played (W-01, W-02, W-09).
    func oddities(frames: Int64) -> [String] {
        var found: [String] = []
        let data = number("data")
        let riff = number("RIFF")
        let isDataOff = lines.contains { $0.hasPrefix("data") && $0.contains("(should be ") }
        for line in lines {
            // "data : 1920 (should be 403)" and the like: libsndfile goes by what is really there.
            guard line.contains("(should be ") else { continue }
            let text = line.split(separator: " ").joined(separator: " ")
            // A length of the whole that is wrong because the sound's is: told once.
            guard
                text.hasPrefix("data") || text.hasPrefix("Block Align") || text.hasPrefix("RIFF") && !isDataOff
                    || text.hasPrefix("Riff size")
            else {
                continue
            }
            if line.hasPrefix("data") {
                found.append(
                    data == 0xFFFF_FFFF
                        ? "the length in its header is unknown; it is played to the end of the file (\(text))"
                        : "the file is shorter than its header says; what is there is played (\(text))")
            } else {
                found.append("its header is wrong about itself (\(text))")
            }
        }
        if frames == 0, riff == 0 {
            found.append("its header says that it is empty: whoever wrote it did not finish it")
        } else if found.isEmpty, let riff, let data, data != 0xFFFF_FFFF, riff < data {
            found.append("its header gives \(riff) bytes for the file and \(data) for the sound in it")
        }
        return found
    }
}
