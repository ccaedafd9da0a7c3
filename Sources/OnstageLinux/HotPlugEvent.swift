/// What was told about devices coming and going.
package enum HotPlugEvent: Hashable, Sendable {
    /// Something happened to one device.
    case device(HotPlugDevice)
    /// Events were lost, or their source has changed: look again at every device.
    case overflow
}

/// One device, as udev or the kernel told of it.
package struct HotPlugDevice: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable {
        case add, remove, change, move, online, offline, bind, unbind
    }

    package var action: Action
    /// "video4linux", "iio", "sound" …
    package var subsystem: String
    /// "/dev/video0"; nil for a device without a node (a sound card).
    package var node: String?
    /// "/sys/devices/…": its place, that survives a change of its number.
    package var syspath: String
    /// What tells one device from another, of ``HotPlugDevice/keys``; the kernel's own events have few of them.
    package var properties: [String: String]

    /// The properties that are kept: identity, links, and whether udev is done with it.
    package static let keys = [
        "DEVLINKS", "DEVTYPE", "ID_BUS", "ID_ID", "ID_MODEL", "ID_MODEL_ID", "ID_PATH", "ID_SERIAL", "ID_SERIAL_SHORT",
        "ID_V4L_CAPABILITIES", "ID_V4L_PRODUCT", "ID_VENDOR_ID", "MAJOR", "MINOR", "SEQNUM", "SOUND_INITIALIZED",
    ]

    package init(action: Action, subsystem: String, node: String?, syspath: String, properties: [String: String] = [:])
    {
        self.action = action
        self.subsystem = subsystem
        self.node = node
        self.syspath = syspath
        self.properties = properties
    }

    /// Reads one of the kernel's own messages: "add@/devices/…", then KEY=VALUE, each ended by a zero byte.
    /// Nil for anything else, udev's own format and unknown actions among it.
    package init?(uevent bytes: some Collection<UInt8>) {
        let parts = bytes.split(separator: 0)
        guard let head = parts.first, let at = head.firstIndex(of: UInt8(ascii: "@")) else { return nil }
        var values: [String: String] = [:]
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let key = String(decoding: part[..<equals], as: UTF8.self)
            values[key] = String(decoding: part[part.index(after: equals)...], as: UTF8.self)
        }
        guard let action = Action(rawValue: String(decoding: head[..<at], as: UTF8.self)),
            let subsystem = values["SUBSYSTEM"], let path = values["DEVPATH"], path.hasPrefix("/")
        else { return nil }
        self.init(
            action: action, subsystem: subsystem, node: values["DEVNAME"].map { $0.hasPrefix("/") ? $0 : "/dev/\($0)" },
            syspath: "/sys\(path)", properties: values.filter { Self.keys.contains($0.key) })
    }
}
