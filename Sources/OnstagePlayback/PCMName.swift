/// The parts of an ALSA PCM name like "hw:CARD=Loopback,DEV=0,SUBDEV=1" or "plughw:1,0".
struct PCMName: Hashable, Sendable {
    /// "hw", "plughw", "default", or whatever stands before the colon.
    var kind: String
    /// A card's ID or number as text, for `hw` and `plughw`.
    var card: String?
    var device: Int
    var subdevice: Int?

    /// Whether it names a device of a card directly, so that its device is known before it is opened.
    var isDirect: Bool { (kind == "hw" || kind == "plughw") && card != nil }

    init(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        kind = String(parts[0])
        device = 0
        guard kind == "hw" || kind == "plughw" else { return }
        guard parts.count == 2, !parts[1].isEmpty else {
            card = "0"
            return
        }
        let fields = parts[1].split(separator: ",", omittingEmptySubsequences: false)
        for (index, field) in fields.enumerated() {
            let pair = field.split(separator: "=", maxSplits: 1)
            let (key, value) =
                pair.count == 2
                ? (String(pair[0]), pair[1]) : (index < 3 ? ["CARD", "DEV", "SUBDEV"][index] : "", field)
            switch key {
            case "CARD": card = String(value)
            case "DEV": device = Int(value) ?? 0
            case "SUBDEV": subdevice = Int(value).flatMap { $0 < 0 ? nil : $0 }
            default: break
            }
        }
    }
}
