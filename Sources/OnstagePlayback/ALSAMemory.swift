internal import CALSA
internal import OnstageCore
internal import OnstageLinux

/// What is known of a device from its last opening, so that the next one need not ask the whole machine again: a player that
/// pauses and goes on opens the same device over and over.
///
/// All of it is checked against the kernel before it is believed: the card by its ID, the device by what it says of itself, the
/// settings by setting them.
///
/// Unchecked: it belongs to one driver, and is used on its device's thread alone; ``OutputBackend`` wants what it captures to
/// be `Sendable`.
final class ALSAMemory: @unchecked Sendable {
    /// A card's device that a name was found to mean.
    struct Place: Hashable {
        /// The name that was asked for.
        var asked: String
        var device: ResolvedDevice
        /// `/proc/asound/ID`, a link to the folder of the card's number.
        var link: String
        var card: Int
        var parts: PCMName
    }

    private var place: Place?
    private var opened: (way: ALSAWay, request: OutputRequest, facts: OutputFacts)?
    let known: UnsafeMutablePointer<calsa_known>?

    init() {
        known = calsa_known_make()
    }

    deinit {
        calsa_known_free(known)
    }

    /// Where `name` was found last, if its card is still there under its number.
    func place(_ name: String) -> Place? {
        guard let place, place.asked == name, isThere(place) else { return nil }
        return place
    }

    /// Where `device` was found to be.
    func place(of device: ResolvedDevice) -> Place? {
        place.flatMap { $0.device == device ? $0 : nil }
    }

    /// Whether the card of that ID has that number at this moment. *C: `readlink`.*
    func isThere(_ place: Place) -> Bool {
        Path.target(ofLink: place.link) == "card\(place.card)"
    }

    func keep(_ found: Place) {
        place = found
    }

    /// What was read back when `request` was opened this way, if that was the last opening.
    func facts(_ way: ALSAWay, _ request: OutputRequest) -> OutputFacts? {
        guard let opened, opened.way == way, opened.request == request else { return nil }
        return opened.facts
    }

    func keep(_ way: ALSAWay, _ request: OutputRequest, _ facts: OutputFacts) {
        opened = (way, request, facts)
    }

    /// What was opened last is not to be had that way any more.
    func forgetOpening() {
        opened = nil
    }
}

/// How a PCM is opened.
struct ALSAWay: Hashable {
    /// A device of a card, past the configuration files.
    struct Direct: Hashable {
        var isThroughPlug: Bool
        var card: Int
        var device: Int
        var subdevice: Int
    }

    /// ALSA's name of it.
    var name: String
    /// Where the name's meaning does not come from the configuration.
    var direct: Direct?

    /// *C: `snd_pcm_open`, `snd_pcm_open_lconf`.*
    func open(_ pcm: inout OpaquePointer?) -> Int32 {
        guard let direct else {
            return snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK)
        }
        return calsa_open_direct(
            &pcm, direct.isThroughPlug ? 1 : 0, direct.card, direct.device, direct.subdevice, SND_PCM_NONBLOCK)
    }
}
