internal import CLinux
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
        let nodes = VideoNodes(sys: sys, dev: dev, udev: udev)
        var found = nodes.names.map { look($0, nodes) }
        nameApart(&found, nodes)
        return found
    }

    /// One node by its path, without a look at the others; nil when that is no video node's.
    func look(node: String) -> Found? {
        guard node.hasPrefix("\(dev)/"), VideoNodes.number(node.dropFirst(dev.utf8.count + 1)) != nil else {
            return nil
        }
        return look(String(node.dropFirst(dev.utf8.count + 1)), VideoNodes(sys: sys, dev: dev, udev: udev))
    }

    /// Whether `info`, which had `stamp` when it was looked at, is still what its node says. Nothing is opened where the
    /// node itself tells: who has taken its place is found by the acquire at the latest. *C: `stat`.*
    func isStill(_ info: CameraInfo, _ stamp: NodeStamp?) -> Bool {
        if let stamp { return NodeStamp(info.node) == stamp }
        let descriptor = kernel.open(info.node)
        guard descriptor >= 0 else { return false }
        var fault: Int32 = 0
        let capability = Capability(kernel, descriptor, fault: &fault)
        kernel.close(descriptor)
        guard let capability else { return false }
        guard info.matches(capability), capability.isCapture, capability.canStream else { return false }
        let name = String(info.node.split(separator: "/").last ?? "")
        return info.serial == nil || info.serial == VideoNodes(sys: sys, dev: dev, udev: udev).serial(name)
    }

    private func look(_ name: String, _ nodes: VideoNodes) -> Found {
        let node = "\(dev)/\(name)"
        // Before it is opened: what sysfs says takes longer than all that is asked of the node.
        let serial = nodes.serial(name)
        let links = nodes.links(to: name)
        let descriptor = kernel.open(node)
        guard descriptor >= 0 else { return unopened(name, node, fault: -descriptor, links, serial, nodes) }
        var fault: Int32 = 0
        let capability = Capability(kernel, descriptor, fault: &fault)
        let canList = capability.map { hasFormats(descriptor, $0) } ?? false
        kernel.close(descriptor)
        guard let capability else { return unopened(name, node, fault: fault, links, serial, nodes) }
        let place = "\(capability.card), \(capability.busInfo)"
        var identities = links
        if let serial { identities += ["\(capability.card), serial \(serial)", serial] }
        identities += [place, "\(capability.busInfo) \(capability.card)", capability.busInfo, capability.card, node]
        var info = CameraInfo(
            identity: serial.map { "\(capability.card), serial \($0)" } ?? place, node: node, name: capability.card,
            driver: capability.driver, busInfo: capability.busInfo, supported: false,
            identities: identities.uniqued(), serial: serial)
        info.judge(capability, hasFormats: canList)
        // All nodes of a pipeline have one card: what tells them apart is the name that sysfs has.
        if info.needsPipeline, let title = nodes.card(name), !info.identities.contains(title) {
            info.identities.append(title)
        }
        return Found(info: info)
    }

    /// A camera without a single format has nothing behind it: a sensor that waits for its links.
    private func hasFormats(_ descriptor: Int32, _ capability: Capability) -> Bool {
        guard capability.isCapture else { return false }
        var first = VideoFormatDescription.first(isMultiPlanar: capability.isMultiPlanar)
        return kernel.call(descriptor, .enumerateFormats, &first) != -Errno.EINVAL
    }

    /// A node that could not be asked: named by what sysfs shows.
    private func unopened(
        _ name: String, _ node: String, fault: Int32, _ links: [String], _ serial: String?, _ nodes: VideoNodes
    ) -> Found {
        let card = nodes.card(name) ?? name
        var info = CameraInfo(
            identity: node, node: node, name: card, driver: nodes.driver(name), busInfo: "", supported: false,
            identities: (links + [serial, card, node].compactMap(\.self)).uniqued(), serial: serial)
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
    private func nameApart(_ found: inout [Found], _ nodes: VideoNodes) {
        var seen: [String: Int] = [:]
        func isCamera(_ found: Found) -> Bool { found.info.supported || found.info.needsPipeline }
        for entry in found where isCamera(entry) { seen[entry.info.identity, default: 0] += 1 }
        for index in found.indices where isCamera(found[index]) {
            let info = found[index].info
            guard seen[info.identity, default: 0] > 1 else { continue }
            let name = String(info.node.split(separator: "/").last ?? "")
            let apart = "\(info.name), \(info.busInfo), node \(nodes.index(name) ?? name)"
            found[index].info.identity = apart
            found[index].info.identities.insert(apart, at: 0)
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
