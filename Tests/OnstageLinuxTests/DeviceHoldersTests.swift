import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@Suite("Who holds a device")
struct DeviceHoldersTests {
    private let scratch = Scratch()
    /// A busy machine looks at fewer processes in the half second that a scan has.
    private let patience = Duration.seconds(30)

    private func holders(
        of node: String, includingSelf: Bool = true, knownBusy: Bool = false, proc: String = "/proc"
    ) -> [DeviceHolder] {
        DeviceHolders.of(node: node, includingSelf: includingSelf, knownBusy: knownBusy, limit: patience, proc: proc)
    }

    @Test("A child's descriptor on a device is found, with its program, and gone when it lets go")
    func descriptor() {
        let terminal = PseudoTerminal()
        let node = terminal.node
        #expect(holders(of: node).isEmpty)
        let child = Child("exec 5<>$1; echo; read line; exec 5>&-; echo; read line", node)
        #expect(holders(of: node) == [DeviceHolder(pid: child.pid, program: "sh")])
        child.tell("let go")
        _ = child.line()
        #expect(holders(of: node).isEmpty)
        withExtendedLifetime(terminal) {}
    }

    @Test("A device is known by its number: another path to it, and a link to the node, are the same device")
    func otherPath() throws {
        let terminal = PseudoTerminal()
        let node = terminal.node
        symlink(node, scratch("by-id"))
        let child = Child("exec 5<>$1; echo; read line", node)
        let holder = [DeviceHolder(pid: child.pid, program: "sh")]
        #expect(holders(of: scratch("by-id")) == holder)
        var file = clinux_file()
        try #require(clinux_look(AT_FDCWD, node, &file) == 0)
        let number = dev_t((file.rdev >> 32) << 8 | (file.rdev & 0xff))  // as libc packs small numbers
        if mknod(scratch("other"), S_IFCHR | 0o600, number) == 0 {  // root only
            #expect(holders(of: scratch("other")) == holder)
        }
        withExtendedLifetime(terminal) {}
    }

    @Test("A mapping that outlived its descriptor holds too")
    func mapping() throws {
        let path = scratch.file("mapped", String(repeating: "x", count: 4096))
        let program = """
            import mmap, os, sys
            file = os.open(sys.argv[1], os.O_RDWR)
            view = mmap.mmap(file, 4096)
            os.close(file)
            print(flush=True)
            sys.stdin.readline()
            view.close()
            print(flush=True)
            sys.stdin.readline()
            """
        let child = Child("exec python3 -c \"$1\" $2", program, path)
        // mmap.mmap keeps a duplicate of its own: both ways are there, and the mapping alone must be enough below.
        #expect(holders(of: path).map(\.pid) == [child.pid])
        let file = try Descriptor(opening: path, flags: O_RDONLY)
        let mapped = mmap(nil, 4096, PROT_READ, MAP_SHARED, file.number, 0)
        file.close()
        #expect(!ProcessFacts.descriptors().contains { $0.target == path })
        let mappings = ProcessFacts.mappings()
        #expect(mappings.contains(path) == true)
        #expect(holders(of: path).map(\.pid).contains(getpid()))
        #expect(holders(of: path, includingSelf: false).map(\.pid) == [child.pid])
        munmap(mapped, 4096)
        #expect(holders(of: path).map(\.pid) == [child.pid])
        child.tell("let go")
        _ = child.line()
        #expect(holders(of: path).isEmpty)
    }

    @Test("Several nodes in one scan, several holders each")
    func several() {
        let (a, b, c) = (scratch.file("a"), scratch.file("b"), scratch.file("c"))
        let first = Child("exec 5<$1 6<$2; echo; read line", a, b)
        let second = Child("exec 5<$1 6<$1; echo; read line", a)
        let found = DeviceHolders.of(nodes: [a, b, c], limit: patience).map { $0.map(\.pid) }
        #expect(found == [[first.pid, second.pid].sorted(), [first.pid], []])
    }

    @Test("A holder of a node that was removed is found by the name that the kernel keeps")
    func removed() throws {
        let node = scratch("node")
        try #require(geteuid() == 0, "mknod needs root")
        try #require(mknod(node, S_IFCHR | 0o600, dev_t(0x103)) == 0)
        let child = Child("exec 5<>$1; echo; read line", node)
        unlink(node)
        #expect(holders(of: node) == [DeviceHolder(pid: child.pid, program: "sh")])
    }

    @Test("What is known to be busy is never held by nobody")
    func unknown() {
        let path = scratch.file("free")
        #expect(holders(of: path).isEmpty)
        #expect(holders(of: path, knownBusy: true) == [DeviceHolder(pid: nil, program: nil)])
        #expect(holders(of: path, knownBusy: true, proc: scratch("no proc")) == [DeviceHolders.unknown])
        #expect(DeviceHolders.ofSound(card: 99, device: 0, knownBusy: true) == [DeviceHolders.unknown])
    }

    @Test("A process that names itself with control characters does not reach the terminal")
    func wildName() {
        scratch.file("1/comm", "\u{1b}[2Jx\n")
        #expect(DeviceHolders.program(of: 1, proc: scratch.path) == "?[2Jx")
    }

    @Test("A sound substream's owner is a thread: its process is answered")
    func sound() {
        scratch.file("asound/card1/pcm0p/sub0/status", "closed\n")
        scratch.file("asound/card1/pcm0p/sub1/status", "state: RUNNING\nowner_pid   : 814\ntrigger_time: 1.2\n")
        scratch.file("asound/card1/pcm0p/sub2/status", "state: RUNNING\nowner_pid   : 0\n")
        scratch.file("asound/card1/pcm0c/sub0/status", "closed\n")
        scratch.file("814/status", "Name:\tworker\nTgid:\t812\nPid:\t814\n")
        scratch.file("812/comm", "mpv\n")
        let mpv = DeviceHolder(pid: 812, program: "mpv")
        let proc = scratch.path
        #expect(DeviceHolders.ofSound(card: 1, device: 0, subdevice: 1, proc: proc) == [mpv])
        #expect(DeviceHolders.ofSound(card: 1, device: 0, subdevice: 0, proc: proc).isEmpty)
        #expect(DeviceHolders.ofSound(card: 1, device: 0, proc: proc) == [mpv, DeviceHolders.unknown])
        #expect(DeviceHolders.ofSound(card: 1, device: 0, subdevice: 2, proc: proc) == [DeviceHolders.unknown])
        #expect(DeviceHolders.ofSound(card: 1, device: 0, direction: .capture, proc: proc).isEmpty)
    }

    @Test("Processes that come and go during the scan do no harm, and nothing is left open")
    func vanishing() {
        let path = scratch.file("held")
        let child = Child("exec 5<$1; echo; while :; do /bin/true; done", path)
        for _ in 0..<20 {
            #expect(holders(of: path).contains { $0.pid == child.pid })
        }
        // Other tests look into /proc beside this one, and let go: what stays is a leak.
        var left = Set(Self.folders())
        let deadline = SystemClock().now + .seconds(20)
        while !left.isEmpty, SystemClock().now < deadline {
            sched_yield()
            left.formIntersection(Self.folders())
        }
        #expect(left.count == 0, "\(left.prefix(3))")
    }

    /// Our descriptors of anything in /proc.
    private static func folders() -> [ProcessFacts.OpenDescriptor] {
        ProcessFacts.descriptors().filter { $0.target.hasPrefix("/proc/") }
    }
}
