/// What a route has changed of one control: to what it goes back, and by what it is told that nobody else has set it since.
struct RouteChange: Hashable, Sendable {
    var element: MixerElement
    var before: [Int64]
    /// What stood when the route was set, read back: a driver may round. Nil while it is not known what will: a use case that is
    /// just being set.
    var ours: [Int64]?
}

extension RouteChange {
    /// One line of ``RouteFile``: address, kind and values.
    var line: String {
        let address = element.address
        return [
            String(element.number), address.interface.rawValue, String(address.device), String(address.subdevice),
            String(address.index), Self.written(address.name), Self.text(before), ours.map(Self.text) ?? "*", ".",
        ].joined(separator: " ")
    }

    /// Nil for what is no whole line.
    init?(line: Substring) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 9, words[8] == ".", let number = UInt32(words[0]),
            let interface = MixerRoute.Interface(rawValue: String(words[1])), let device = Int(words[2]),
            let subdevice = Int(words[3]), let index = Int(words[4]), let name = Self.read(words[5]),
            let before = Self.values(words[6])
        else { return nil }
        let ours = Self.values(words[7])
        guard words[7] == "*" || ours?.count == before.count else { return nil }
        element = MixerElement(
            number: number,
            address: MixerElement.Address(
                interface: interface, name: name, index: index, device: device, subdevice: subdevice))
        self.before = before
        self.ours = ours
    }

    private static func text(_ values: [Int64]) -> String {
        values.map(String.init).joined(separator: ",")
    }

    private static func values(_ text: Substring) -> [Int64]? {
        let words = text.split(separator: ",")
        let values = words.compactMap { Int64($0) }
        return values.isEmpty || values.count != words.count ? nil : values
    }

    /// A name as a word without blanks.
    static func written(_ name: String) -> String {
        name.utf8.map { byte in
            (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%") ? String(UnicodeScalar(byte)) : "%\(byte)."
        }.joined()
    }

    /// The name that was written so.
    static func read(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: ".")),
                let number = UInt8(String(decoding: rest[..<end], as: UTF8.self))
            else { return nil }
            bytes.append(number)
            rest = rest[rest.index(after: end)...]
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
