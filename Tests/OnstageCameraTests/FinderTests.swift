import CV4L2
import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstageCamera

/// Nodes by path, each with what it says of itself.
private final class PlayedNodes: VideoKernel {
    struct Node {
        var driver = "uvcvideo"
        var card = "Camera"
        var bus = "usb-1"
        var caps = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
        var fault: Int32?
        var hasFormats = true
    }
    private let nodes: [String: Node]
    private let open = Mutex<[Int32: Node]>([:])
    private let opens = Atomic<Int>(0)
    var openCount: Int { opens.load(ordering: .relaxed) }
    var leftOpen: Int { open.withLock { $0.count } }

    init(_ nodes: [String: Node]) { self.nodes = nodes }

    var isConverting: Bool { false }
    func open(_ node: String) -> Int32 {
        guard let found = nodes[String(node.split(separator: "/").last ?? "")] else { return -Errno.ENOENT }
        if let fault = found.fault { return -fault }
        let number = Int32(opens.wrappingAdd(1, ordering: .relaxed).newValue)
        open.withLock { $0[number] = found }
        return number
    }
    func close(_ descriptor: Int32) { open.withLock { $0[descriptor] = nil } }
    func call(_ descriptor: Int32, _ call: VideoCall, _ argument: UnsafeMutableRawPointer) -> Int32 {
        guard let node = open.withLock({ $0[descriptor] }) else { return -Errno.EBADF }
        switch call {
        case .queryCapability:
            let capability = argument.assumingMemoryBound(to: v4l2_capability.self)
            write(node.driver, &capability.pointee.driver)
            write(node.card, &capability.pointee.card)
            write(node.bus, &capability.pointee.bus_info)
            // The whole device can capture, whatever this node can.
            capability.pointee.capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_DEVICE_CAPS)
            capability.pointee.device_caps = node.caps
            return 0
        case .enumerateFormats: return node.hasFormats ? 0 : -Errno.EINVAL
        default: return -Errno.ENOTTY
        }
    }
    func map(_ descriptor: Int32, length: Int, offset: Int64, fault: inout Int32) -> UnsafeMutableRawPointer? { nil }
    func unmap(_ address: UnsafeMutableRawPointer, length: Int) -> Int32 { 0 }
    func detach(_ address: UnsafeMutableRawPointer, length: Int, copying: Bool) -> Int32 { 0 }

    private func write<T>(_ text: String, _ to: inout T) {
        withUnsafeMutableBytes(of: &to) { bytes in
            for (index, byte) in text.utf8.enumerated() where index < bytes.count - 1 { bytes[index] = byte }
        }
    }
}

/// A tree of folders, files and links, gone with its owner.
private final class Tree {
    let root: String
    init(_ files: [String: String] = [:], links: [String: String] = [:]) {
        var pattern = Array("/tmp/onstage-camera-XXXXXX".utf8CString)
        root = mkdtemp(&pattern).map { String(cString: $0) } ?? "/nonexistent"
        for (path, text) in files {
            let whole = make(path)
            if let file = fopen(whole, "w") {
                fputs(text, file)
                fclose(file)
            }
        }
        for (path, target) in links { symlink(target, make(path)) }
    }
    private func make(_ path: String) -> String {
        var folder = root
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o755)
        }
        return "\(root)/\(path)"
    }
    deinit { Shell.run("rm -rf '\(root)'") }
}

@Suite("scripts: which camera is meant")
struct FinderTests {
    private func finder(_ kernel: PlayedNodes, _ tree: Tree) -> CameraFinder {
        CameraFinder(
            kernel: kernel, sys: "\(tree.root)/sys", dev: "\(tree.root)/dev", udev: "\(tree.root)/udev")
    }

    private static let twins = [
        "dev/video0": "", "dev/video1": "", "dev/video2": "", "dev/video10": "",
        "sys/class/video4linux/video0/index": "0\n", "sys/class/video4linux/video1/index": "1\n",
        "sys/class/video4linux/video2/index": "0\n", "sys/class/video4linux/video10/index": "0\n",
        "sys/usb/1-1/serial": "A1\n", "sys/usb/1-1/1-1:1.0/x": "", "sys/class/video4linux/video2/dev": "81:2\n",
        "udev/c81:2": "S:v4l/by-path/pci-0-usb-2-video-index0\nE:ID_SERIAL_SHORT=B2\n",
    ]
    private static let links = [
        "sys/class/video4linux/video0/device": "../../../usb/1-1/1-1:1.0",
        "dev/v4l/by-id/usb-Camera_A1-video-index0": "../../video0",
    ]
    private var nodes: PlayedNodes {
        PlayedNodes([
            "video0": .init(bus: "usb-1"), "video1": .init(bus: "usb-1", caps: UInt32(V4L2_CAP_META_CAPTURE)),
            "video2": .init(bus: "usb-2"), "video10": .init(card: "Other", bus: "usb-3"),
        ])
    }

    @Test(
        "V-06: every form of a name is accepted",
        arguments: [
            ("usb-Camera_A1-video-index0", "video0"), ("usb-1", "video0"), ("A1", "video0"),
            ("Camera, serial A1", "video0"),
            ("Camera, serial B2", "video2"), ("B2", "video2"), ("pci-0-usb-2-video-index0", "video2"),
            ("usb-3 Other", "video10"), ("Other, usb-3", "video10"), ("Other", "video10"), ("any", "video0"),
            ("driver uvcvideo", "video0"),
        ])
    func names(text: String, node: String) throws {
        let (kernel, tree) = (nodes, Tree(Self.twins, links: Self.links))
        #expect(try finder(kernel, tree).resolve(CameraSelector(text)).node.hasSuffix("/\(node)"))
        #expect(kernel.leftOpen == 0)
    }

    @Test func pathsAndLinksToTheNodeAreNamesToo() throws {
        let (kernel, tree) = (nodes, Tree(Self.twins, links: Self.links))
        for path in ["dev/video0", "dev/v4l/by-id/usb-Camera_A1-video-index0"] {
            #expect(
                try finder(kernel, tree).resolve(CameraSelector("\(tree.root)/\(path)")).node.hasSuffix("/video0"))
        }
    }

    @Test("V-06: an ambiguous name is an error that lists the candidates")
    func ambiguous() throws {
        let (kernel, tree) = (nodes, Tree(Self.twins, links: Self.links))
        let error = #expect(throws: DeviceError.self) { try finder(kernel, tree).resolve(CameraSelector("Camera")) }
        #expect(error?.kind == .configuration)
        #expect(error?.reason?.contains("Camera, serial A1") == true && error?.reason?.contains("serial B2") == true)
    }

    @Test("V-06: twins without udev and without a serial number are told apart by where they are")
    func twins() {
        let tree = Tree(["dev/video0": "", "dev/video1": "", "dev/video2": ""])
        let kernel = PlayedNodes([
            "video0": .init(bus: "usb-1"), "video1": .init(bus: "usb-2"), "video2": .init(bus: "usb-2"),
        ])
        let identities = finder(kernel, tree).all().map(\.identity)
        #expect(identities == ["Camera, usb-1", "Camera, usb-2, node video1", "Camera, usb-2, node video2"])
    }

    @Test("V-03: a metadata node is no camera; bound by name it says why")
    func metadata() throws {
        let (kernel, tree) = (nodes, Tree(Self.twins, links: Self.links))
        #expect(finder(kernel, tree).all().map(\.node).allSatisfy { !$0.hasSuffix("video1") })
        #expect(finder(kernel, tree).all(includingOther: true).count == 4)
        let error = #expect(throws: DeviceError.self) {
            try finder(kernel, tree).resolve(CameraSelector("\(tree.root)/dev/video1"))
        }
        #expect(error?.kind == .configuration && error?.reason == "not a capture node (metadata)")
    }

    @Test("V-22: a loopback node without a producer is waited for")
    func loopback() throws {
        let tree = Tree(["dev/video0": ""])
        let kernel = PlayedNodes(["video0": .init(driver: "v4l2 loopback", caps: UInt32(V4L2_CAP_VIDEO_OUTPUT))])
        for name in ["any", "Camera", "\(tree.root)/dev/video0"] {
            let error = #expect(throws: DeviceError.self) { try finder(kernel, tree).resolve(CameraSelector(name)) }
            #expect(error?.kind == .absent && error?.description.contains("nothing is fed") == true)
        }
    }

    @Test("a sensor behind a media pipeline is listed as unsupported; no camera is absent; a barred one says the group")
    func others() throws {
        let tree = Tree(["dev/video0": ""])
        let pipeline = PlayedNodes(["video0": .init(hasFormats: false)])
        #expect(finder(pipeline, tree).all().map(\.reason) == ["needs a media pipeline"])
        let barred = finder(PlayedNodes(["video0": .init(fault: Errno.EACCES)]), tree)
        #expect(throws: DeviceError.self) { try barred.resolve(.any) }
        let error = #expect(throws: DeviceError.self) { try barred.resolve(.any) }
        #expect(error?.kind == .permission && error?.advice?.contains("video") == true)
        // Which driver it is, sysfs tells everybody; its name it tells nobody.
        let named = Tree(
            ["dev/video0": "", "sys/bus/uvcvideo/x": "", "sys/class/video4linux/video0/device/x": ""],
            links: ["sys/class/video4linux/video0/device/driver": "../../../../bus/uvcvideo"])
        let ofDriver = finder(PlayedNodes(["video0": .init(fault: Errno.EACCES)]), named)
        let mine = #expect(throws: DeviceError.self) { try ofDriver.resolve(CameraSelector("driver uvcvideo")) }
        #expect(mine?.kind == .permission && mine?.device.hasSuffix("video0") == true)
        let other = #expect(throws: DeviceError.self) { try ofDriver.resolve(CameraSelector("driver vivid")) }
        #expect(other?.kind == .absent)
        let maybe = #expect(throws: DeviceError.self) { try ofDriver.resolve(CameraSelector("Camera, serial A1")) }
        #expect(maybe?.kind == .absent && maybe?.reason?.contains("group video") == true)
        let none = #expect(throws: DeviceError.self) { try finder(PlayedNodes([:]), Tree()).resolve(.any) }
        #expect(none?.kind == .absent)
    }

    @Test("the nodes of a pipeline are told apart, and are cameras for whoever brings its links and formats")
    func pipeline() throws {
        let tree = Tree([
            "dev/video0": "", "dev/video1": "", "sys/class/video4linux/video0/name": "main path\n",
            "sys/class/video4linux/video1/name": "self path\n",
        ])
        let caps = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_STREAMING) | UInt32(V4L2_CAP_IO_MC)
        let kernel = PlayedNodes([
            "video0": .init(card: "isp", bus: "platform:isp", caps: caps),
            "video1": .init(card: "isp", bus: "platform:isp", caps: caps),
        ])
        let finder = finder(kernel, tree)
        let all = finder.all()
        #expect(all.map(\.identity) == ["isp, platform:isp, node video0", "isp, platform:isp, node video1"])
        #expect(all.allSatisfy { !$0.supported && $0.needsPipeline && $0.reason == "needs a media pipeline" })
        for name in ["self path", "isp, platform:isp, node video1", "\(tree.root)/dev/video1"] {
            let info = try finder.resolve(CameraSelector(name), hasPipeline: true)
            #expect(info.node.hasSuffix("/video1") && info.supported && info.reason == nil, "\(name)")
            let error = #expect(throws: DeviceError.self) { try finder.resolve(CameraSelector(name)) }
            #expect(error?.kind == .configuration && error?.advice?.contains("profile") == true, "\(name)")
        }
        #expect(try finder.resolve(.any, hasPipeline: true).node.hasSuffix("/video0"))
        let several = #expect(throws: DeviceError.self) {
            try finder.resolve(CameraSelector("isp"), hasPipeline: true)
        }
        #expect(several?.kind == .configuration && several?.reason?.contains("several cameras fit") == true)
    }

    @Test("a warm resolve asks the node it knows, and notices when it changed")
    func warm() throws {
        let (kernel, tree) = (nodes, Tree(Self.twins, links: Self.links))
        let driver = CameraDriver(
            configuration: CameraConfiguration(selector: CameraSelector("Camera, serial A1")), sinks: FrameSinks(),
            report: { _ in }, kernel: kernel, finder: finder(kernel, tree))
        let device = try driver.resolve()
        let before = kernel.openCount
        #expect(try driver.resolve() == device)
        #expect(kernel.openCount == before + 1)
        // Another camera of the same make at its place.
        Shell.run("echo Z9 >'\(tree.root)/sys/usb/1-1/serial'")
        let error = #expect(throws: DeviceError.self) { try driver.resolve() }
        #expect(error?.kind == .absent)
    }
}
