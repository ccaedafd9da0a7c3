internal import CALSA
internal import OnstageCore
internal import OnstageLinux

extension OutputBackend {
    /// Real sound cards, and everything else that has a name in ALSA.
    package static let alsa = OutputBackend(
        resolve: { configuration throws(DeviceError) in
            guard case .pcm(let name) = configuration.output else {
                return ResolvedDevice(key: nil, identity: "", node: "")
            }
            return try resolve(name, SoundCard.all(withHolders: false))
        },
        open: { device, request, cancellation throws(DeviceError) in
            try open(device, request, cancellation)
        })

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

    /// Opens what was resolved, by itself or, where a plain device lacks the sound's rate, channels or format, through plug.
    private static func open(
        _ device: ResolvedDevice, _ request: OutputRequest, _ cancellation: any CancellationSource
    ) throws(DeviceError) -> any PCMOutput {
        calsa_quiet()
        do throws(DeviceError) {
            return try ALSAOutput(name: device.node, shown: device.identity, request)
        } catch {
            try cancellation.check("snd_pcm_open", device: device.identity)
            let parts = PCMName(device.node)
            if parts.kind == "hw", error.kind == .configuration {
                let output = try ALSAOutput(name: "plug" + device.node, shown: device.identity, request)
                output.note(
                    "\(device.identity) does not take \(request.rate) Hz, \(request.channels) channels, "
                        + "\(request.formats[0].name) by itself: it goes through ALSA's plug")
                return output
            }
            guard device.node == "default", error.kind == .absent else { throw error }
            return try openFallback(request, cancellation, missing: error)
        }
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
            do throws(DeviceError) {
                let output = try ALSAOutput(name: name, shown: name, request)
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
