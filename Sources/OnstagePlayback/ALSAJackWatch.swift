internal import CALSA
internal import OnstageCore
internal import OnstageLinux

/// The jacks of a card, by its control elements ("Headphone Jack").
///
/// The kernel tells of every change of the card's elements, also of volumes that others set: each wakes the device's thread
/// for a moment.
final class ALSAJackWatch: JackWatch {
    private let control: OpaquePointer
    private let event: OpaquePointer
    private let shown: String
    private let device: Int
    private var states = JackStates()
    private let descriptors: UnsafeMutableBufferPointer<pollfd>
    private var firstEntry: Int?
    private var isClosed = false

    /// Nil where the card has no jack that `device` is heard by.
    ///
    /// - Parameter shown: how the device is named in errors.
    /// - Throws: `permission`, `absent`, `tooMany`.
    /// *C: `snd_ctl_open_lconf`, `snd_ctl_subscribe_events`.*
    init?(card: Int, device: Int, shown: String) throws(DeviceError) {
        var opened: OpaquePointer?
        let answer = calsa_control_open(&opened, card)
        guard answer >= 0, let control = opened else {
            throw DeviceError(errno: -answer, operation: "snd_ctl_open_lconf", device: shown)
        }
        var event: OpaquePointer?
        guard snd_ctl_event_malloc(&event) >= 0, let event else {
            snd_ctl_close(control)
            throw DeviceError(errno: Errno.ENOMEM, operation: "snd_ctl_event_malloc", device: shown)
        }
        self.control = control
        self.event = event
        self.shown = shown
        self.device = device
        descriptors = .allocate(capacity: max(0, Int(snd_ctl_poll_descriptors_count(control))))
        descriptors.initialize(repeating: pollfd())
        try learn()
        guard !states.isEmpty else {
            close()
            return nil
        }
    }

    deinit {
        assert(isClosed, "a card's control was left open")
        close()
        snd_ctl_event_free(event)
        descriptors.deallocate()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        snd_ctl_close(control)
    }

    /// Which plugs are in now.
    private func learn() throws(DeviceError) {
        var room = 64
        while true {
            var elements = [calsa_element](repeating: calsa_element(), count: room)
            let count = Int(calsa_control_elements(control, &elements, Int32(room)))
            guard count >= 0 else {
                close()
                throw DeviceError(errno: Int32(-count), operation: "snd_ctl_elem_list", device: shown)
            }
            guard count <= room else {
                room = count
                continue
            }
            for element in elements.prefix(count) { _ = look(element) }
            return
        }
    }

    /// Whether the plug of this element has been pulled.
    private func look(_ element: calsa_element) -> Bool {
        guard JackName.isHeard(Self.name(element), device: device) else { return false }
        let answer = calsa_control_flag(control, element.number)
        // What is no switch says nothing, and what cannot be read is as good as gone.
        guard answer >= 0 else {
            states.forget(element.number)
            return false
        }
        return states.take(element.number, isIn: answer != 0)
    }

    private static func name(_ element: calsa_element) -> String {
        withUnsafeBytes(of: element.name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    func prepare(_ wait: inout WaitSet) {
        let count = snd_ctl_poll_descriptors(control, descriptors.baseAddress, UInt32(descriptors.count))
        firstEntry = wait.entries.count
        for index in 0..<max(0, Int(count)) { wait.add(descriptors[index].fd, descriptors[index].events) }
    }

    func isReady(_ wait: borrowing WaitSet) -> Bool {
        // A wait that names no jacks is shorter.
        guard let first = firstEntry, first + descriptors.count <= wait.entries.count else { return false }
        return (first..<first + descriptors.count).contains { wait.answers($0) != 0 }
    }

    func takeNews() throws(DeviceError) -> Bool {
        var isPulled = false
        var element = calsa_element()
        while true {
            let answer = calsa_control_event(control, event, &element)
            switch answer {
            case 0: return isPulled
            case Int32(CALSA_EVENT_CHANGED): if look(element) { isPulled = true }
            case Int32(CALSA_EVENT_REMOVED): states.forget(element.number)
            case Int32(CALSA_EVENT_OTHER): break
            default: throw DeviceError(errno: -answer, operation: "snd_ctl_read", device: shown)
            }
        }
    }
}
