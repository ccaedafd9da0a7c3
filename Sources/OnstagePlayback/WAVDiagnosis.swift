internal import CLinux
internal import OnstageLinux

/// What is wrong with a RIFF file that libsndfile has refused, in words that help: its own tell of its insides.
///
/// Nothing is played by what is found here, and nothing allocated.
struct WAVDiagnosis {
    private let file: Int32
    private let size: Int64

    /// One line, or nil where the headers tell nothing.
    static func reason(_ path: String) -> String? {
        let number = clinux_open(path, O_RDONLY | O_NONBLOCK)
        guard number >= 0 else { return nil }
        let file = Descriptor(owning: number)
        let size = clinux_file_size(file.number)
        return size < 12 ? nil : WAVDiagnosis(file: file.number, size: size).reason()
    }

    private func reason() -> String? {
        let form = text(8)
        guard form == "WAVE" else { return "RIFF form is \"\(form)\", not \"WAVE\"" }
        var place: Int64 = 12
        var format: String??
        // Chunk by chunk; a length that leads beyond the file ends the walk.
        for _ in 0..<1000 where place + 8 <= size {
            let length = Int64(number(place + 4, 4))
            switch text(place) {
            case "data": return format == nil ? "data chunk before fmt" : format ?? nil
            case "fmt ": format = .some(complaint(place + 8, length))
            default: break
            }
            place += 8 + length + (length & 1)
        }
        guard let format else { return "no fmt chunk" }
        return format ?? "no data chunk"
    }

    /// What is wrong with the `fmt ` chunk whose body is at `place`.
    private func complaint(_ place: Int64, _ length: Int64) -> String? {
        guard length >= 16, place + 16 <= size else { return "fmt: too short (\(min(length, size - place)) bytes)" }
        var tag = number(place, 2)
        let (channels, rate, bits) = (number(place + 2, 2), number(place + 4, 4), number(place + 14, 2))
        if tag == 0xFFFE, length >= 26 { tag = number(place + 24, 2) }
        let known = [1: "PCM", 3: "float", 0x50: "MPEG layers I and II", 0x55: "MPEG layer 3"]
        guard tag == 1 || tag == 3 else {
            let digits = String(tag, radix: 16, uppercase: true)
            let name = known[tag].map { " (\($0))" } ?? ""
            return "unsupported WAV format tag 0x\(String(repeating: "0", count: 4 - digits.count))\(digits)\(name)"
        }
        if channels == 0 { return "fmt: 0 channels" }
        if rate == 0 || rate > 768_000 { return "fmt: sample rate \(rate) out of range" }
        if channels > 32 { return "fmt: \(channels) channels out of range" }
        if ![8, 16, 24, 32].contains(bits), tag == 1 || bits != 64 { return "fmt: \(bits) bits per sample" }
        return nil
    }

    /// A number of up to four bytes; 0 beyond the file's end.
    private func number(_ place: Int64, _ count: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 4, alignment: 4) { bytes in
            guard clinux_read_at(file, bytes.baseAddress, count, off_t(place)) == count else { return 0 }
            return bytes[..<count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }

    private func text(_ place: Int64) -> String {
        let word = number(place, 4)
        return String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }, as: UTF8.self)
    }
}
