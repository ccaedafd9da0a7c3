internal import OnstagePlayback

extension ProfileDecoder {
    /// What a card is set to while its sound is heard.
    static func route(_ object: inout ProfileObject, of playback: Profile.Playback) -> MixerRoute? {
        guard object.has("route") else { return nil }
        let saysCard = ["hw:", "plughw:"].contains(where: playback.device.hasPrefix)
        let isSynthetic = playback.isSynthetic
        if isSynthetic { object.complain("route", "is not possible with the device \"synthetic\"") }
        return object.object("route") { object in
            var route = MixerRoute(card: object.text("card", limit: 64))
            // A name of ALSA's configuration may lead anywhere.
            if !saysCard, !isSynthetic { object.require("card") }
            if !object.has("ucm"), !object.has("controls") {
                object.complainHere("sets nothing: \"ucm\" or \"controls\" is needed")
            }
            route.useCase = object.object("ucm") { object in
                object.require("verb")
                return MixerRoute.UseCase(
                    verb: object.text("verb", limit: 128) ?? "", device: object.text("device", limit: 128))
            }
            route.controls = object.objects("controls", 1...64, control) ?? []
            route.isRequired = object.flag("required") ?? true
            return route
        }
    }

    private static func control(_ object: inout ProfileObject) -> MixerRoute.Control? {
        object.require("name")
        object.require("value")
        var control = MixerRoute.Control(name: object.text("name", limit: 43) ?? "", values: values(&object))
        control.index = object.integer("index", 0...65_535) ?? 0
        control.interface = object.choice("interface") ?? .mixer
        control.device = object.integer("device", 0...65_535) ?? 0
        control.subdevice = object.integer("subdevice", 0...65_535) ?? 0
        return control
    }

    /// One value for all channels, or a list with one for each.
    private static func values(_ object: inout ProfileObject) -> [MixerRoute.Value] {
        guard let value = object.value("value") else { return [] }
        var all = [value]
        if case .list(let list) = value { all = list }
        let values = all.compactMap(Self.value)
        guard (1...128).contains(all.count), values.count == all.count else {
            object.complain(
                "value",
                "must be a whole number, true, false, or a text such as the name of an item, \"50%\" or \"-12dB\"; or a "
                    + "list of 1 to 128 of them, one for each channel")
            return []
        }
        return values
    }

    private static func value(_ value: JSONValue) -> MixerRoute.Value? {
        switch value {
        case .integer(let number) where number.magnitude <= largest: .number(number)
        case .number(let number) where abs(number) <= Double(largest) && number == number.rounded():
            .number(Int64(number))
        case .flag(let flag): .flag(flag)
        case .text(let text) where (1...63).contains(text.unicodeScalars.count): .text(text)
        default: nil
        }
    }
}
