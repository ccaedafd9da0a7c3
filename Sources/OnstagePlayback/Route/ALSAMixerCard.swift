internal import CALSA
internal import Glibc
internal import OnstageCore

/// The controls of a card of the kernel's.
///
/// Its control node is open for as long as a route stands: so it is this very card that is put back, whatever has its number or
/// its ID by then.
final class ALSAMixerCard: MixerCard {
    let id: String
    let shown: String
    private let control: OpaquePointer
    private var useCases: OpaquePointer?
    private var isEntered = false
    private var isClosed = false

    /// - Parameters:
    ///   - card: its number at this moment, and the ID that it must have.
    ///   - shown: how the device is named in errors.
    /// - Throws: `absent`, `permission`, `tooMany`.
    /// *C: `snd_ctl_open_lconf`.*
    init(card: Int, id: String, shown: String) throws(DeviceError) {
        var opened: OpaquePointer?
        calsa_quiet()
        let answer = calsa_card_open(&opened, card, 0)
        guard answer >= 0, let control = opened else {
            var error = DeviceError(errno: -answer, operation: "snd_ctl_open_lconf", device: shown)
            error.reason = "the controls of the card \(id) cannot be set"
            if error.kind == .permission { error.advice = "add the user to the group \"audio\"" }
            throw error
        }
        var real = [CChar](repeating: 0, count: 32)
        let asked = calsa_mixer_card(control, &real)
        guard asked >= 0, Self.text(real) == id else {
            snd_ctl_close(control)
            throw DeviceError(
                .absent, operation: "snd_ctl_card_info", device: shown,
                reason: "another card came in the place of \(id) while it was opened", advice: "it is looked for again")
        }
        self.id = id
        self.shown = shown
        self.control = control
    }

    deinit {
        assert(isClosed, "a card's control was left open")
        close()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        if let useCases { snd_use_case_mgr_close(useCases) }
        useCases = nil
        snd_ctl_close(control)
    }

    private static func text(_ bytes: [CChar]) -> String {
        String(decoding: bytes.lazy.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 }, as: UTF8.self)
    }

    // MARK: Elements

    func list() -> Result<[MixerElement], PCMFault> {
        var room = 256
        while true {
            var elements = [calsa_mixer_element](repeating: calsa_mixer_element(), count: room)
            let count = Int(calsa_mixer_list(control, &elements, Int32(room)))
            guard count >= 0 else { return .failure(PCMFault(errno: Int32(-count))) }
            guard count <= room else {
                room = count
                continue
            }
            return .success(elements.prefix(count).compactMap { MixerElement($0) })
        }
    }

    func look(_ element: MixerElement) -> Result<MixerElement, PCMFault> {
        var found = element.alsa
        let answer = calsa_mixer_look(control, &found)
        guard answer >= 0 else { return .failure(PCMFault(errno: -answer)) }
        var known = element
        known.take(found)
        return .success(known)
    }

    func items(_ element: MixerElement) -> [String] {
        guard case .item(let count) = element.kind else { return [] }
        return (0..<count).map { item in
            var name = [CChar](repeating: 0, count: 64)
            return calsa_mixer_item(control, element.number, UInt32(item), &name) < 0 ? "" : Self.text(name)
        }
    }

    func decibels(_ element: MixerElement) -> ClosedRange<Int64>? {
        var (least, most): (Int64, Int64) = (0, 0)
        guard calsa_mixer_decibels(control, element.number, &least, &most) >= 0, least <= most else { return nil }
        return least...most
    }

    func value(decibels: Int64, _ element: MixerElement) -> Int64? {
        var value: Int64 = 0
        return calsa_mixer_from_decibels(control, element.number, decibels, &value) < 0 ? nil : value
    }

    func read(_ element: MixerElement) -> Result<[Int64], PCMFault> {
        var asked = element.alsa
        return withUnsafeTemporaryAllocation(of: Int64.self, capacity: Int(CALSA_MOST_VALUES)) { room in
            let count = calsa_mixer_read(control, &asked, room.baseAddress)
            return count < 0 ? .failure(PCMFault(errno: -count)) : .success(Array(room[..<Int(count)]))
        }
    }

    func write(_ values: [Int64], _ element: MixerElement) -> Int32 {
        var asked = element.alsa
        // Kept of another shape: not to be written here.
        guard values.count == Int(calsa_mixer_count(&asked)) else { return -Errno.EINVAL }
        return calsa_mixer_write(control, &asked, values)
    }

    // MARK: Use cases

    func find(_ useCase: MixerRoute.UseCase) throws(DeviceError) {
        calsa_forget()
        var opened: OpaquePointer?
        let answer = snd_use_case_mgr_open(&opened, "hw:\(id)")
        guard answer >= 0, let opened else {
            let said = String(cString: calsa_message())
            throw DeviceError(
                .configuration, operation: "snd_use_case_mgr_open", device: shown, errno: answer < 0 ? -answer : nil,
                reason: "the card \(id) has no use cases (UCM)" + (said.isEmpty ? "" : ": \(said)"),
                advice: "see `alsaucm -c hw:\(id) list _verbs`; Debian's configurations are in alsa-ucm-conf")
        }
        useCases = opened
        let verbs = try names("_verbs")
        guard verbs.contains(useCase.verb) else {
            throw missing("verb \"\(useCase.verb)\"", verbs, "_verbs")
        }
        guard let device = useCase.device else { return }
        let list = "_devices/\(useCase.verb)"
        let devices = try names(list)
        guard devices.contains(device) else {
            throw missing("device \"\(device)\" in the verb \(useCase.verb)", devices, list)
        }
    }

    private func names(_ list: String) throws(DeviceError) -> [String] {
        var text = [CChar](repeating: 0, count: 16_384)
        let answer = calsa_use_case_names(useCases, list, &text, text.count)
        guard answer >= 0 else {
            throw DeviceError(errno: -answer, operation: "snd_use_case_get_list", device: shown)
        }
        return Self.text(text).split(separator: "\n").map(String.init)
    }

    private func missing(_ what: String, _ names: [String], _ list: String) -> DeviceError {
        DeviceError(
            .configuration, operation: "snd_use_case_get_list", device: shown,
            reason: "the use cases of the card \(id) have no \(what); they have \(MixerElement.listed(names))",
            advice: "see `alsaucm -c hw:\(id) list \(list)`")
    }

    func enter(_ useCase: MixerRoute.UseCase) throws(DeviceError) {
        isEntered = true
        try set("_verb", useCase.verb)
        if let device = useCase.device { try set("_enadev", device) }
    }

    private func set(_ what: String, _ name: String) throws(DeviceError) {
        calsa_forget()
        let answer = snd_use_case_set(useCases, what, name)
        guard answer < 0 else { return }
        let said = String(cString: calsa_message())
        throw DeviceError(
            errno: -answer, operation: "snd_use_case_set", device: shown,
            reason: "the use case \(name) of the card \(id) cannot be set" + (said.isEmpty ? "" : ": \(said)"))
    }

    func leave() -> Int32 {
        guard isEntered, let useCases else { return 0 }
        isEntered = false
        // Its devices and modifiers are left with it.
        return min(0, snd_use_case_set(useCases, "_verb", "Inactive"))
    }
}

extension MixerElement {
    /// Nil for an element of an interface that has no name here.
    fileprivate init?(_ found: calsa_mixer_element) {
        let interfaces: [MixerRoute.Interface] = [.card, .hwdep, .mixer, .pcm, .rawmidi, .timer, .sequencer]
        guard interfaces.indices.contains(Int(found.interface)) else { return nil }
        let name = withUnsafeBytes(of: found.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(
            number: found.number,
            address: Address(
                interface: interfaces[Int(found.interface)], name: name, index: Int(found.index),
                device: Int(found.device), subdevice: Int(found.subdevice)))
    }

    /// What it takes.
    fileprivate mutating func take(_ found: calsa_mixer_element) {
        kind =
            switch UInt32(bitPattern: found.type) {
            case SND_CTL_ELEM_TYPE_BOOLEAN.rawValue: .flag
            case SND_CTL_ELEM_TYPE_INTEGER.rawValue, SND_CTL_ELEM_TYPE_INTEGER64.rawValue:
                .number(found.least...max(found.least, found.most))
            case SND_CTL_ELEM_TYPE_ENUMERATED.rawValue: .item(Int(found.items))
            case SND_CTL_ELEM_TYPE_BYTES.rawValue: .bytes
            default: .other
            }
        isWide = UInt32(bitPattern: found.type) == SND_CTL_ELEM_TYPE_INTEGER64.rawValue
        count = Int(found.count)
        isReadable = found.is_readable != 0
        isWritable = found.is_writable != 0
        isLocked = found.is_locked != 0
        isVolatile = found.is_volatile != 0
    }

    /// What reading and writing need of it.
    fileprivate var alsa: calsa_mixer_element {
        var asked = calsa_mixer_element()
        asked.number = number
        asked.count = UInt32(count)
        let type =
            switch kind {
            case .flag: SND_CTL_ELEM_TYPE_BOOLEAN
            case .number: isWide ? SND_CTL_ELEM_TYPE_INTEGER64 : SND_CTL_ELEM_TYPE_INTEGER
            case .item: SND_CTL_ELEM_TYPE_ENUMERATED
            case .bytes: SND_CTL_ELEM_TYPE_BYTES
            case .other: SND_CTL_ELEM_TYPE_NONE
            }
        asked.type = Int32(bitPattern: type.rawValue)
        return asked
    }
}
