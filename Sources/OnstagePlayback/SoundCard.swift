public import OnstageCore
internal import OnstageLinux

/// A sound card as the kernel shows it, with its playback devices.
public struct SoundCard: Hashable, Sendable {
    /// One playback device of a card.
    public struct PlaybackDevice: Hashable, Sendable {
        /// ALSA's device number on the card.
        public var number: Int
        public var name: String
        /// Streams that it plays at the same time.
        public var subdevices: Int
        /// What holds: stays the same over a new card number ("hw:CARD=Loopback,DEV=0").
        public var identity: String
        /// The processes that play on it.
        public var holders: [DeviceHolder]
    }

    /// The number that it has now; another one after the next start.
    public var number: Int
    /// Its ID, by which it is found again ("Loopback").
    public var id: String
    public var name: String
    /// The driver's name ("Loopback", "HDA-Intel", "USB-Audio").
    public var driver: String
    public var playback: [PlaybackDevice]

    /// The kernel's node of one of its playback devices.
    package func node(_ device: PlaybackDevice) -> String {
        "/dev/snd/pcmC\(number)D\(device.number)p"
    }

    /// All cards, by number; none at all is an answer. Nothing is opened. Holders are looked up when asked for.
    ///
    /// *Runs on:* any thread. *C: none; `/proc/asound/cards`, `/proc/asound/pcm`.*
    package static func all(withHolders: Bool = true, proc: String = "/proc") -> [SoundCard] {
        var cards: [SoundCard] = []
        // " 0 [Loopback       ]: Loopback - Loopback", then a line with the long name.
        for line in (SmallFile.text("\(proc)/asound/cards", limit: 16_384) ?? "").split(separator: "\n") {
            guard let open = line.firstIndex(of: "["), let close = line.firstIndex(of: "]"), open < close,
                let number = Int(line[..<open].filter { $0 != " " })
            else { continue }
            let id = line[line.index(after: open)..<close].trimmed
            let rest = line[line.index(after: close)...].drop { $0 == ":" || $0 == " " }
            var driver = rest.trimmed
            var name = driver
            if let dash = rest.firstRange(of: " - ") {
                driver = rest[..<dash.lowerBound].trimmed
                name = rest[dash.upperBound...].trimmed
            }
            cards.append(SoundCard(number: number, id: id, name: name, driver: driver, playback: []))
        }
        // "00-01: Loopback PCM : Loopback PCM : playback 8 : capture 8"
        for line in (SmallFile.text("\(proc)/asound/pcm", limit: 65_536) ?? "").split(separator: "\n") {
            let fields = line.split(separator: ":").map(\.trimmed)
            guard fields.count >= 2, let dash = fields[0].firstIndex(of: "-"),
                let card = Int(fields[0][..<dash]), let device = Int(fields[0][fields[0].index(after: dash)...]),
                let index = cards.firstIndex(where: { $0.number == card }),
                let streams = fields.first(where: { $0.hasPrefix("playback ") })
            else { continue }
            cards[index].playback.append(
                PlaybackDevice(
                    number: device, name: fields[1], subdevices: Int(streams.dropFirst(9).trimmed) ?? 1,
                    identity: "hw:CARD=\(cards[index].id),DEV=\(device)",
                    holders: withHolders ? DeviceHolders.ofSound(card: card, device: device, proc: proc) : []))
        }
        return cards
    }

    /// The cards to try where there is no "default", the likeliest first: real outputs, then digital screens' ones,
    /// then loopbacks and dummies; each by card number.
    package static func fallbackOrder(_ cards: [SoundCard]) -> [SoundCard] {
        func rank(_ card: SoundCard) -> Int {
            if card.driver == "Loopback" || card.driver == "Dummy" { return 2 }
            let isScreen = card.playback.allSatisfy { $0.name.contains("HDMI") || $0.name.contains("DisplayPort") }
            return isScreen ? 1 : 0
        }
        return cards.filter { !$0.playback.isEmpty }.sorted { (rank($0), $0.number) < (rank($1), $1.number) }
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(start[...last])
    }
}
