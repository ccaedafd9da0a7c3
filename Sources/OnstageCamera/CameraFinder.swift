internal import CLinux
internal import Glibc
internal import OnstageCore
internal import OnstageLinux

/// Finds cameras by what their nodes say of themselves. Nothing stays open; works without udev.
///
/// *Runs on:* any thread; every node is opened once, which may wake a sleeping camera.
package struct CameraFinder: Sendable {
    let kernel: any VideoKernel
    let sys: String
    let dev: String
    let udev: String

    /// - Parameters: where the kernel's and udev's folders are, for tests.
    package init(
        kernel: any VideoKernel = RawKernel(), sys: String = "/sys", dev: String = "/dev",
        udev: String = "/run/udev/data"
    ) {
        self.kernel = kernel
        self.sys = sys
        self.dev = dev
        self.udev = udev
    }

    /// What one node came to.
    struct Found {
        var info: CameraInfo
        /// Why it could not be asked.
        var fault: Int32?
    }

    /// All cameras, by the number of their nodes; with `includingOther` also metadata, output and codec nodes.
    package func all(includingOther: Bool = false) -> [CameraInfo] {
        search().map(\.info).filter { includingOther || !$0.isOther }
    }

    func search() -> [Found] {
        let links = Links(dev: dev)
        var found = nodeNames().compactMap { look($0, links) }
        nameApart(&found)
        return found
    }

    /// Whether `info` is still what its node says, asked with one open. *C: `VIDIOC_QUERYCAP`.*
    func isStill(_ info: CameraInfo) -> Bool {
        let descriptor = kernel.open(info.node)
        guard descriptor >= 0 else { return false }
        var fault: Int32 = 0
        let capability = Capability(kernel, descriptor, fault: &fault)
        kernel.close(descriptor)
        guard let capability, info.matches(capability), capability.isCapture, capability.canStream else { return false }
        return info.serial == nil || info.serial == serial(String(info.node.split(separator: "/").last ?? ""))
    }

    /// "video0", "video1", … by number.
    private func nodeNames() -> [String] {
        var names = Folder.names(in: "\(sys)/class/video4linux")
        if names.isEmpty { names = Folder.names(in: dev) }
        return names.compactMap { name -> (Int, String)? in
            guard name.hasPrefix("video"), let number = Int(name.dropFirst(5)) else { return nil }
            return (number, name)
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private func look(_ name: String, _ links: Links) -> Found? {
        let node = "\(dev)/\(name)"
        let descriptor = kernel.open(node)
        guard descriptor >= 0 else { return unopened(name, node, fault: -descriptor, links) }
        var fault: Int32 = 0
        let capability = Capability(kernel, descriptor, fault: &fault)
        let canList = capability.map { hasFormats(descriptor, $0) } ?? false
        kernel.close(descriptor)
        guard let capability else { return unopened(name, node, fault: fault, links) }
        let serial = serial(name)
        let place = "\(capability.card), \(capability.busInfo)"
        var identities = links.names(of: name) + udevLinks(name)
        if let serial { identities += ["\(capability.card), serial \(serial)", serial] }
        identities += [place, "\(capability.busInfo) \(capability.card)", capability.busInfo, capability.card, node]
        var info = CameraInfo(
            identity: serial.map { "\(capability.card), serial \($0)" } ?? place, node: node, name: capability.card,
            driver: capability.driver, busInfo: capability.busInfo, supported: false,
            identities: identities.uniqued(), serial: serial)
        info.judge(capability, hasFormats: canList)
        return Found(info: info)
    }

    /// A camera without a single format has nothing behind it: a sensor that waits for its links.
    private func hasFormats(_ descriptor: Int32, _ capability: Capability) -> Bool {
        guard capability.isCapture else { return false }
        var first = VideoFormatDescription.first(isMultiPlanar: capability.isMultiPlanar)
        return kernel.call(descriptor, .enumerateFormats, &first) != -Errno.EINVAL
    }

    /// A node that could not be asked: named by what sysfs shows.
    private func unopened(_ name: String, _ node: String, fault: Int32, _ links: Links) -> Found? {
        let card = SmallFile.line("\(sys)/class/video4linux/\(name)/name") ?? name
        var info = CameraInfo(
            identity: node, node: node, name: card, driver: driver(name), busInfo: "", supported: false,
            identities: (links.names(of: name) + udevLinks(name) + [serial(name), card, node].compactMap(\.self))
                .uniqued(), serial: serial(name))
        switch fault {
        case Errno.ENOENT, Errno.ENODEV, Errno.ENXIO:
            info.reason = "it is gone, or about to come"
            info.isWaiting = true
        case Errno.ENOTTY, Errno.EINVAL:
            info.reason = "it is no V4L2 device"
            info.isOther = true
        case Errno.EBUSY:
            info.reason = "it is in use and cannot be asked"
            info.isWaiting = true
        case Errno.EACCES, Errno.EPERM:
            info.reason = "it may not be opened: add the user to the group video"
        default:
            info.reason = "it cannot be asked: \(Errno.name(fault))"
        }
        return Found(info: info, fault: fault)
    }

    /// Nodes of the same name get their number within the device, so that each has an identity of its own.
    private func nameApart(_ found: inout [Found]) {
        var seen: [String: Int] = [:]
        for entry in found where entry.info.supported { seen[entry.info.identity, default: 0] += 1 }
        for index in found.indices where found[index].info.supported {
            let info = found[index].info
            guard seen[info.identity, default: 0] > 1 else { continue }
            let name = info.node.split(separator: "/").last ?? ""
            let number = SmallFile.line("\(sys)/class/video4linux/\(name)/index") ?? "\(name)"
            let apart = "\(info.name), \(info.busInfo), node \(number)"
            found[index].info.identity = apart
            found[index].info.identities.insert(apart, at: 0)
        }
    }

    /// The serial number of the USB device behind a node.
    private func serial(_ name: String) -> String? {
        // "device" is a link to the interface; the serial number is the device's, one above.
        if let line = SmallFile.line("\(sys)/class/video4linux/\(name)/device/../serial"), !line.isEmpty { return line }
        return udevData(name).first { $0.hasPrefix("E:ID_SERIAL_SHORT=") }.map {
            String($0.dropFirst("E:ID_SERIAL_SHORT=".count))
        }
    }

    /// The driver as sysfs names it: for most the name that the node would give; empty where there is none.
    private func driver(_ name: String) -> String {
        let link = Self.target("\(sys)/class/video4linux/\(name)/device/driver")
        return link?.split(separator: "/").last.map(String.init) ?? ""
    }

    private static func target(_ link: String) -> String? {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
            let count = readlink(link, start, bytes.count)
            return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
        }
    }

    private func udevData(_ name: String) -> [Substring] {
        guard let number = SmallFile.line("\(sys)/class/video4linux/\(name)/dev"),
            let text = SmallFile.text("\(udev)/c\(number)", limit: 16_384)
        else { return [] }
        return text.split(separator: "\n")
    }

    /// The links that udev made, also where /dev/v4l is not to be seen (a container).
    private func udevLinks(_ name: String) -> [String] {
        udevData(name).filter { $0.hasPrefix("S:v4l/by-") }.flatMap { line -> [String] in
            let path = line.dropFirst(2)
            return ["\(dev)/\(path)", String(path.split(separator: "/").last ?? "")]
        }
    }

    /// The links below /dev/v4l, read once for a search.
    private struct Links {
        private var byNode: [String: [String]] = [:]

        init(dev: String) {
            for folder in ["by-id", "by-path"] {
                let path = "\(dev)/v4l/\(folder)"
                for link in Folder.names(in: path) {
                    guard let target = CameraFinder.target("\(path)/\(link)") else { continue }
                    let node = String(target.split(separator: "/").last ?? "")
                    byNode[node, default: []] += ["\(path)/\(link)", link]
                }
            }
        }

        func names(of node: String) -> [String] { byNode[node] ?? [] }
    }
}

extension CameraInfo {
    func matches(_ capability: Capability) -> Bool {
        driver == capability.driver && name == capability.card && busInfo == capability.busInfo
    }

    /// Whether a node is a camera, by what it can do itself (`device_caps`).
    fileprivate mutating func judge(_ capability: Capability, hasFormats: Bool) {
        if capability.isCodec {
            (isOther, reason) = (true, "not a camera (codec)")
        } else if capability.isCapture && !capability.canStream {
            reason = "it cannot stream"
        } else if capability.isCapture && (capability.needsPipeline || !hasFormats) {
            reason = "needs a media pipeline"
        } else if capability.isCapture {
            supported = true
        } else if capability.isLoopback {
            (isWaiting, reason) = (true, "present, but nothing is fed into it now")
        } else if capability.isMetadata {
            (isOther, reason) = (true, "not a capture node (metadata)")
        } else if capability.isOutput {
            (isOther, reason) = (true, "not a capture node (output)")
        } else {
            (isOther, reason) = (true, "not a capture node")
        }
    }
}

extension [String] {
    /// Each once, in the order in which they came.
    fileprivate func uniqued() -> [String] {
        var seen: Set<String> = []
        return filter { !$0.isEmpty && seen.insert($0).inserted }
    }
}
