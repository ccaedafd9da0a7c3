internal import CALSA
internal import OnstageCore
internal import OnstageLinux

extension OutputBackend {
    /// Real sound cards, and everything else that has a name in ALSA; for one driver.
    static func alsa() -> OutputBackend {
        let memory = ALSAMemory()
        var backend = OutputBackend(
            resolve: { configuration throws(DeviceError) in
                guard case .pcm(let name) = configuration.output else {
                    return ResolvedDevice(key: nil, identity: "", node: "")
                }
                return try resolve(name, memory)
            },
            open: { device, request, cancellation throws(DeviceError) in
                try open(device, request, memory, cancellation)
            },
            card: { device in card(of: device, memory) },
            jacks: { facts, shown throws(DeviceError) in
                guard let card = facts.card else { return nil }
                return try ALSAJackWatch(card: card, device: facts.device, shown: shown)
            })
        backend.isBusy = { device in isBusy(device, memory) }
        backend.mixer = { device, route throws(DeviceError) in try mixer(device, route) }
        return backend
    }

    /// The card of a device that is busy: its own; for a name of the configuration, whose card is known when it is open, the
    /// one card that somebody else plays on.
    private static func card(of device: ResolvedDevice, _ memory: ALSAMemory) -> Int? {
        if let place = memory.place(of: device) { return memory.isThere(place) ? place.card : nil }
        guard !PCMName(device.node).isDirect else { return nil }
        let own = getpid()
        let held = SoundCard.all().filter { $0.playback.contains { $0.holders.contains { $0.pid != own } } }
        return held.count == 1 ? held[0].number : nil
    }

    /// Which device `name` means now; where it was found before, only whether it is there still is looked at.
    private static func resolve(_ name: String, _ memory: ALSAMemory) throws(DeviceError) -> ResolvedDevice {
        if let place = memory.place(name) { return place.device }
        let cards = SoundCard.all(withHolders: false)
        let device = try resolve(name, cards)
        let parts = PCMName(device.node)
        if parts.isDirect, let card = cards.first(where: { $0.id == parts.card }) {
            memory.keep(
                ALSAMemory.Place(
                    asked: name, device: device, link: "/proc/asound/\(card.id)", card: card.number, parts: parts))
        }
        return device
    }

    /// Which device `name` means among `cards`.
    ///
    /// A card is followed by its ID, so that it is found again under another number. Where the user names no subdevice the
    /// first one is meant: else two resources on the same name would not meet.
    /// - Throws: `absent` when the card or the device is not there, or no card at all for "default".
    static func resolve(_ name: String, _ cards: [SoundCard]) throws(DeviceError) -> ResolvedDevice {
        let parts = PCMName(name)
        guard parts.isDirect, let wanted = parts.card else {
            // What a name of the configuration leads to is known when it is open. "default" may fall back to a card.
            if name == "default", !cards.contains(where: { !$0.playback.isEmpty }), !isConfigured {
                throw noCard(name)
            }
            // Until then whoever lets go of any card may have let go of it.
            let nodes = cards.flatMap { card in card.playback.map { card.node($0) } }
            return ResolvedDevice(key: nil, identity: name, node: name, watched: nodes)
        }
        guard let card = cards.first(where: { $0.id == wanted || String($0.number) == wanted }) else {
            if cards.isEmpty { throw noCard(name) }
            throw DeviceError(
                .absent, operation: "", device: name, reason: "there is no sound card \(wanted)",
                advice: "there is \(cards.map(\.id).joined(separator: ", ")); it is waited for")
        }
        guard let device = card.playback.first(where: { $0.number == parts.device }) else {
            throw DeviceError(
                .absent, operation: "", device: name,
                reason: "the card \(card.id) has no playback device \(parts.device)",
                advice: "see `onstage devices`")
        }
        let full = "CARD=\(card.id),DEV=\(parts.device),SUBDEV=\(parts.subdevice ?? 0)"
        let identity = parts.subdevice.map { "\(device.identity),SUBDEV=\($0)" } ?? device.identity
        return ResolvedDevice(
            key: "hw:\(full)", identity: identity, node: "\(parts.kind):\(full)", watched: [card.node(device)])
    }

    /// Whether somebody has told libasound where its configuration is: then "default" may lead anywhere.
    private static var isConfigured: Bool {
        getenv("ALSA_CONFIG_PATH") != nil || SmallFile.line("/etc/asound.conf") != nil
            || getenv("HOME").map { SmallFile.line(String(cString: $0) + "/.asoundrc") != nil } ?? false
    }

    private static func noCard(_ name: String) -> DeviceError {
        DeviceError(
            .absent, operation: "", device: name, reason: "this machine has no sound card",
            advice: "it is waited for; a user must be in the group \"audio\" to play")
    }

    /// Whether somebody has told libasound by the environment to take another configuration: then "hw" may mean anything.
    private static var isRedirected: Bool {
        getenv("ALSA_CONFIG_PATH") != nil || getenv("ALSA_CONFIG_DIR") != nil
    }

    /// The way to a place, by itself or through ALSA's plug.
    private static func way(_ device: ResolvedDevice, _ place: ALSAMemory.Place?, isThroughPlug: Bool) -> ALSAWay {
        let name = isThroughPlug ? "plug" + device.node : device.node
        guard let place, !isRedirected else { return ALSAWay(name: name) }
        let parts = place.parts
        return ALSAWay(
            name: name,
            direct: ALSAWay.Direct(
                isThroughPlug: isThroughPlug || parts.kind == "plughw", card: place.card, device: parts.device,
                subdevice: parts.subdevice ?? 0))
    }

    /// Opens what was resolved, by itself or, where a plain device lacks the sound's rate or format, through plug. (Channels that
    /// it lacks are mixed by the player: plug would leave out all but the first of them.)
    private static func open(
        _ device: ResolvedDevice, _ request: OutputRequest, _ memory: ALSAMemory,
        _ cancellation: any CancellationSource
    ) throws(DeviceError) -> any PCMOutput {
        calsa_quiet()
        let place = memory.place(of: device)
        let byItself = way(device, place, isThroughPlug: false)
        let canPlug = place?.parts.kind == "hw"
        let throughPlug = canPlug ? way(device, place, isThroughPlug: true) : byItself
        // What it did not take the last time need not be tried again; where it does not come to that, the errors below tell.
        if canPlug, memory.facts(throughPlug, request) != nil,
            let output = try? openThroughPlug(device, throughPlug, request, memory, place)
        {
            return output
        }
        do throws(DeviceError) {
            return try open(byItself, device, request, memory, place)
        } catch {
            memory.forgetOpening()
            try cancellation.check("snd_pcm_open", device: device.identity)
            if canPlug, error.kind == .configuration {
                return try openThroughPlug(device, throughPlug, request, memory, place)
            }
            guard device.node == "default", error.kind == .absent else { throw error }
            return try openFallback(request, cancellation, missing: error)
        }
    }

    private static func openThroughPlug(
        _ device: ResolvedDevice, _ way: ALSAWay, _ request: OutputRequest, _ memory: ALSAMemory,
        _ place: ALSAMemory.Place?
    ) throws(DeviceError) -> ALSAOutput {
        let output = try open(way, device, request, memory, place)
        output.note(
            "\(device.identity) does not take \(request.rate) Hz, \(request.formats[0].name) by itself: "
                + "it goes through ALSA's plug")
        return output
    }

    private static func open(
        _ way: ALSAWay, _ device: ResolvedDevice, _ request: OutputRequest, _ memory: ALSAMemory,
        _ place: ALSAMemory.Place?
    ) throws(DeviceError) -> ALSAOutput {
        let output = try ALSAOutput(way, shown: device.identity, request, memory)
        // Opened by its number: another card may have come under it since it was looked at. From here on it cannot.
        if way.direct != nil, let place, !memory.isThere(place) {
            output.close()
            throw DeviceError(
                .absent, operation: "snd_pcm_open", device: device.identity,
                reason: "another card came in its place while it was opened", advice: "it is looked for again")
        }
        return output
    }

    /// There is no "default": the cards in our own order.
    private static func openFallback(
        _ request: OutputRequest, _ cancellation: any CancellationSource, missing: DeviceError
    ) throws(DeviceError) -> any PCMOutput {
        var refusal = missing
        for card in SoundCard.fallbackOrder(SoundCard.all(withHolders: false)) {
            guard let device = card.playback.first else { continue }
            try cancellation.check("snd_pcm_open", device: "default")
            let name = "plughw:CARD=\(card.id),DEV=\(device.number)"
            // Past the configuration, which may have this name as little as it has "default".
            let way = ALSAWay(
                name: name,
                direct: ALSAWay.Direct(isThroughPlug: true, card: card.number, device: device.number, subdevice: -1))
            do throws(DeviceError) {
                let output = try ALSAOutput(way, shown: name, request, ALSAMemory())
                output.note("there is no PCM \"default\": \(name) is played on")
                return output
            } catch {
                // A card that is there but busy tells more than that "default" is not.
                if refusal.kind == .absent { refusal = error }
            }
        }
        throw refusal
    }
}
