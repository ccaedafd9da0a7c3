internal import OnstageCore
internal import OnstageLinux

extension OutputBackend {
    /// Whether somebody has the very device of a card that a name means; of a name of the configuration that is not known.
    static func isBusy(_ device: ResolvedDevice, _ memory: ALSAMemory) -> Bool {
        guard let place = memory.place(of: device) else { return false }
        let path = "/proc/asound/card\(place.card)/pcm\(place.parts.device)p/sub\(place.parts.subdevice ?? 0)/status"
        return SmallFile.line(path).map { $0 != "closed" } ?? false
    }

    /// The card that a route names, else the one that the device is of.
    /// - Throws: `absent` where it is not there; `configuration` where neither says which.
    static func mixer(_ device: ResolvedDevice, _ route: MixerRoute) throws(DeviceError) -> any MixerCard {
        let parts = PCMName(device.node)
        guard let wanted = route.card ?? (parts.isDirect ? parts.card : nil) else {
            throw DeviceError(
                .configuration, operation: "", device: device.identity,
                reason: "its name does not say on which card its route is to be set", advice: "name the route's card")
        }
        let cards = SoundCard.all(withHolders: false)
        guard let card = cards.first(where: { $0.id == wanted || String($0.number) == wanted }) else {
            throw DeviceError(
                .absent, operation: "", device: device.identity,
                reason: "there is no sound card \(wanted) to set its route on",
                advice: cards.isEmpty ? nil : "there is \(cards.map(\.id).joined(separator: ", "))")
        }
        return try ALSAMixerCard(card: card.number, id: card.id, shown: device.identity)
    }
}
