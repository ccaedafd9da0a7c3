import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import Testing

/// Against the bench VM's drivers: vivid and snd-aloop. Elsewhere the devices are not there and this is skipped.
@Suite(
    "Holders of real devices",
    .enabled(
        if: access("/dev/video0", F_OK) == 0 && access("/dev/snd/controlC0", F_OK) == 0, "needs the bench VM's devices"),
    .serialized)
struct DeviceHoldersKernelTests {
    @Test("A camera that only a mapping holds is held; its end is told, and then the node is free")
    func mapping() throws {
        let program = """
            import ctypes, fcntl, mmap, os, struct, sys
            fd = os.open('/dev/video0', os.O_RDWR)
            request = bytearray(struct.pack('=IIIIB3x', 2, 1, 1, 0, 0))
            fcntl.ioctl(fd, 0xc0145608, request)
            # mmap.mmap would keep a descriptor
            libc = ctypes.CDLL(None)
            libc.mmap.restype = ctypes.c_void_p
            at = libc.mmap(None, ctypes.c_size_t(4096), 3, 1, fd, ctypes.c_long(0))
            os.close(fd)
            print(at, flush=True)
            sys.stdin.readline()
            """
        #expect(DeviceHolders.of(node: "/dev/video0").isEmpty)
        let watch = try NodeWatch()
        try watch.add("/dev/video0")
        let child = Child("exec python3 -c \"$1\"", program)
        #expect(!ProcessFacts.descriptors(pid: child.pid).contains { $0.target == "/dev/video0" })
        #expect(ProcessFacts.heldDevices(pid: child.pid) == ["/dev/video0"])
        #expect(DeviceHolders.of(node: "/dev/video0").map(\.pid) == [child.pid])
        #expect(watch.drain().isEmpty, "the file is still open below the mapping")
        let holder = try HolderWatch(pid: child.pid)
        kill(child.pid, SIGKILL)
        awaitReadable(holder.descriptor)
        #expect(watch.drain() == [.closed("/dev/video0")])
        #expect(DeviceHolders.of(node: "/dev/video0").isEmpty)
    }

    @Test("Who plays is named by the card's status, in the words that every user may read")
    func sound() throws {
        let child = Child("exec aplay -q -D hw:Loopback,0,3 -f S16_LE -r 48000 -c 2 /dev/zero & echo; wait")
        defer { kill(child.pid, SIGTERM) }
        let card = try #require(SmallFile.line("/sys/class/sound/card0/id") == "Loopback" ? 0 : 1)
        let watch = try NodeWatch()
        try watch.add("/dev/snd/pcmC\(card)D0p")
        var found: [DeviceHolder] = []
        let deadline = MonotonicTime.now + .seconds(20)
        while found.isEmpty, .now < deadline { found = DeviceHolders.ofSound(card: card, device: 0, subdevice: 3) }
        let player = try #require(found.first?.pid)
        #expect(found == [DeviceHolder(pid: player, program: "aplay")])
        #expect(DeviceHolders.ofSound(card: card, device: 0) == found)
        #expect(DeviceHolders.ofSound(card: card, device: 0, subdevice: 0).isEmpty)
        #expect(DeviceHolders.of(node: "/dev/snd/pcmC\(card)D0p") == found)
        let holder = try HolderWatch(pid: player)
        kill(player, SIGKILL)
        awaitReadable(holder.descriptor)
        #expect(DeviceHolders.ofSound(card: card, device: 0).isEmpty)
        #expect(watch.drain().contains(.closed("/dev/snd/pcmC\(card)D0p")))
    }

    @Test("A driver that is bound again: its node goes and comes, told by the kernel and by inotify")
    func replug() throws {
        let hotPlug = try HotPlug()
        let watch = try NodeWatch()
        try watch.add("/dev/video0")
        for action in ["unbind", "bind"] {
            let file = try Descriptor(opening: "/sys/bus/platform/drivers/vivid/\(action)", flags: O_WRONLY)
            #expect(clinux_write(file.number, "vivid.0", 7) == 7)
            file.close()
            let expected: NodeEvent = action == "bind" ? .appeared("/dev/video0") : .removed("/dev/video0")
            var seen: [NodeEvent] = []
            while !seen.contains(expected) {
                awaitReadable(watch.descriptor)
                let events = watch.drain()
                if events.isEmpty { break }
                seen += events
            }
            #expect(seen.contains(expected))
            awaitReadable(hotPlug.descriptor)
            let devices = hotPlug.drain().compactMap { event -> HotPlugDevice? in
                guard case .device(let device) = event, device.node == "/dev/video0" else { return nil }
                return device
            }
            #expect(devices.map(\.action).contains(action == "bind" ? .add : .remove))
            #expect(devices.allSatisfy { $0.subsystem == "video4linux" && $0.syspath.contains("vivid") })
        }
    }
}
