import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

/// The kernel says "change" of /dev/full and /dev/zero on request, to root; sockets outside its first network namespace
/// hear nothing of it.
private func provoke(_ device: String = "full") -> Bool {
    let file = clinux_open("/sys/devices/virtual/mem/\(device)/uevent", O_WRONLY)
    guard file >= 0 else { return false }
    defer { _ = clinux_close(file) }
    return clinux_write(file, "change", 6) == 6
}

@Suite("Devices that come and go", .serialized)
struct HotPlugTests {
    private let scratch = Scratch()

    private func texts(_ parts: String...) -> [UInt8] {
        parts.flatMap { Array($0.utf8) + [0] }
    }

    @Test("The kernel's own message is read; what is not one is left")
    func message() {
        let bytes = texts(
            "add@/devices/pci0/video4linux/video0", "ACTION=add", "DEVPATH=/devices/pci0/video4linux/video0",
            "SUBSYSTEM=video4linux", "MAJOR=81", "MINOR=0", "DEVNAME=video0", "SEQNUM=12", "OTHER=a=b")
        let expected = HotPlugDevice(
            action: .add, subsystem: "video4linux", node: "/dev/video0",
            syspath: "/sys/devices/pci0/video4linux/video0",
            properties: ["MAJOR": "81", "MINOR": "0", "SEQNUM": "12"])
        #expect(HotPlugDevice(uevent: bytes) == expected)
        let card = HotPlugDevice(uevent: texts("remove@/devices/c0", "DEVPATH=/devices/c0", "SUBSYSTEM=sound"))
        #expect(card?.node == nil && card?.action == .remove)
        for count in 0..<bytes.count { _ = HotPlugDevice(uevent: bytes[..<count]) }
        #expect(HotPlugDevice(uevent: texts("libudev", "ACTION=add")) == nil)
        #expect(HotPlugDevice(uevent: texts("add@/devices/c0", "SUBSYSTEM=sound")) == nil)
        #expect(HotPlugDevice(uevent: texts("explode@/devices/c0", "DEVPATH=/devices/c0", "SUBSYSTEM=sound")) == nil)
    }

    @Test("A real event arrives by libudev and by the bare socket", arguments: [HotPlug.Source.kernel, .socket])
    func event(source: HotPlug.Source) throws {
        let hotPlug = try HotPlug(subsystems: ["mem"], only: source, control: scratch("none"))
        #expect(hotPlug.drain().isEmpty)
        guard provoke() else { return }  // not root
        awaitReadable(hotPlug.descriptor)
        let events = hotPlug.drain()
        guard case .device(let device)? = events.first else {
            throw DeviceError(.absent, operation: "", device: "event")
        }
        #expect(events.count == 1)
        #expect(device.action == .change && device.subsystem == "mem" && device.node == "/dev/full")
        #expect(device.syspath == "/sys/devices/virtual/mem/full")
        #expect(device.properties["MINOR"] == "7")
    }

    @Test("Another subsystem's events are not told", arguments: [HotPlug.Source.kernel, .socket])
    func otherSubsystem(source: HotPlug.Source) throws {
        let hotPlug = try HotPlug(subsystems: ["iio"], only: source, control: scratch("none"))
        let witness = try HotPlug(subsystems: ["mem"], only: source, control: scratch("none"))
        guard provoke() else { return }  // not root
        awaitReadable(witness.descriptor)
        #expect(hotPlug.drain().isEmpty)
    }

    @Test(
        "More than the socket can hold: overflow is told, and what comes later arrives",
        arguments: [HotPlug.Source.kernel, .socket])
    func overflow(source: HotPlug.Source) throws {
        let hotPlug = try HotPlug(subsystems: ["mem"], only: source, control: scratch("none"))
        var small: Int32 = 2048
        setsockopt(hotPlug.descriptor, SOL_SOCKET, SO_RCVBUF, &small, socklen_t(MemoryLayout<Int32>.size))
        guard provoke() else { return }  // not root
        for _ in 0..<50 { _ = provoke() }
        var events: [HotPlugEvent] = []
        while isReadable(hotPlug.descriptor) { events += hotPlug.drain() }
        #expect(events.contains(.overflow))
        #expect(events.count < 51)
        _ = provoke("zero")
        awaitReadable(hotPlug.descriptor)
        guard case .device(let device)? = hotPlug.drain().last else {
            throw DeviceError(.absent, operation: "", device: "event after an overflow")
        }
        #expect(device.node == "/dev/zero")
    }

    @Test("udev's events are taken as soon as udevd is there, and all is looked at again")
    func udevComes() throws {
        let control = scratch("control")
        let hotPlug = try HotPlug(control: control)
        #expect(hotPlug.source == .kernel)
        #expect(hotPlug.drain().isEmpty)
        scratch.file("control")
        #expect(hotPlug.drain() == [.overflow])
        #expect(hotPlug.source == .udev)
        #expect(hotPlug.drain().isEmpty)
        #expect(try HotPlug(control: control).source == .udev)
    }
}
