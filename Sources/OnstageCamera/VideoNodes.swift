internal import OnstageLinux

/// What sysfs and udev say of video nodes, without opening one. Works without udev, and where /dev/v4l is not to be seen.
struct VideoNodes {
    let sys: String
    let dev: String
    let udev: String
    /// The links below /dev/v4l, by the name of their node.
    private var links: [String: [String]] = [:]

    init(sys: String, dev: String, udev: String) {
        self.sys = sys
        self.dev = dev
        self.udev = udev
        for folder in ["by-id", "by-path"] {
            let path = "\(dev)/v4l/\(folder)"
            for link in Folder.names(in: path) {
                guard let target = Path.target(ofLink: "\(path)/\(link)") else { continue }
                let node = String(target.split(separator: "/").last ?? "")
                links[node, default: []] += ["\(path)/\(link)", link]
            }
        }
    }

    /// "video0", "video1", … by number.
    var names: [String] {
        var names = Folder.names(in: "\(sys)/class/video4linux")
        if names.isEmpty { names = Folder.names(in: dev) }
        return names.compactMap { name in Self.number(name).map { ($0, name) } }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// 3 of "video3"; nil for what is no video node.
    static func number(_ name: some StringProtocol) -> Int? {
        name.hasPrefix("video") ? Int(name.dropFirst(5)) : nil
    }

    /// The links to a node, whole and by their last part: those that are there, and those that udev has made for others to
    /// see (a container has no /dev/v4l).
    func links(to name: String) -> [String] {
        let made = udevData(name).filter { $0.hasPrefix("S:v4l/by-") }.flatMap { line -> [String] in
            let path = line.dropFirst(2)
            return ["\(dev)/\(path)", String(path.split(separator: "/").last ?? "")]
        }
        return (links[name] ?? []) + made
    }

    /// The serial number of the USB device behind a node.
    func serial(_ name: String) -> String? {
        // "device" is a link to the interface; the serial number is the device's, one above.
        if let line = line(name, "device/../serial"), !line.isEmpty { return line }
        return udevData(name).first { $0.hasPrefix("E:ID_SERIAL_SHORT=") }.map {
            String($0.dropFirst("E:ID_SERIAL_SHORT=".count))
        }
    }

    /// The driver as sysfs names it: for most the name that the node would give; empty where there is none.
    func driver(_ name: String) -> String {
        let link = Path.target(ofLink: "\(sys)/class/video4linux/\(name)/device/driver")
        return link?.split(separator: "/").last.map(String.init) ?? ""
    }

    /// The card's name as sysfs has it.
    func card(_ name: String) -> String? { line(name, "name") }

    /// The node's number within its device.
    func index(_ name: String) -> String? { line(name, "index") }

    private func line(_ name: String, _ file: String) -> String? {
        SmallFile.line("\(sys)/class/video4linux/\(name)/\(file)")
    }

    private func udevData(_ name: String) -> [Substring] {
        guard let number = line(name, "dev"), let text = SmallFile.text("\(udev)/c\(number)", limit: 16_384)
        else { return [] }
        return text.split(separator: "\n")
    }
}
