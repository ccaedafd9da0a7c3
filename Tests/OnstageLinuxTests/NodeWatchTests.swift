import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@Suite("Being told of a node")
struct NodeWatchTests {
    private let scratch = Scratch()

    /// Drains until something is told.
    private func next(_ watch: NodeWatch) -> [NodeEvent] {
        awaitReadable(watch.descriptor)
        return watch.drain()
    }

    @Test("A holder lets go of a node, by closing it or by dying")
    func closed() throws {
        let node = scratch.file("video0")
        let child = Child("exec 5<$1; echo; read line; exec 5<&-; echo; exec 5<$1; echo; read line", node)
        let watch = try NodeWatch()
        try watch.add(node)
        #expect(watch.drain().isEmpty)
        child.tell("let go")
        #expect(next(watch) == [.closed(node)])
        _ = child.line()
        _ = child.line()
        #expect(watch.drain().isEmpty)
        child.kill()
        #expect(next(watch) == [.closed(node)])
    }

    @Test("A node comes, changes its mode, and goes; comes again, and is watched again")
    func comesAndGoes() throws {
        let node = scratch("video0")
        let watch = try NodeWatch()
        try watch.add(node)
        for _ in 0..<3 {
            scratch.file("other")
            scratch.file("video0")
            #expect(next(watch) == [.appeared(node)])
            try Descriptor(opening: node, flags: O_RDONLY).close()
            #expect(next(watch) == [.closed(node)])
            chmod(node, 0o600)
            #expect(next(watch) == [.changed(node)])
            unlink(node)
            #expect(next(watch) == [.removed(node)])
        }
    }

    @Test("A node whose folder is not there yet is awaited through every folder on the way")
    func folderComes() throws {
        let node = scratch("a/b/pcmC0D0p")
        let watch = try NodeWatch()
        try watch.add(node)
        scratch.file("a/b/x")
        #expect(watch.drain().isEmpty)
        scratch.file("a/b/pcmC0D0p")
        #expect(next(watch) == [.appeared(node)])
        unlink(node)
        unlink(scratch("a/b/x"))
        rmdir(scratch("a/b"))
        #expect(next(watch) == [.removed(node)])
        rmdir(scratch("a"))
        scratch.file("a/b/pcmC0D0p")
        #expect(next(watch).contains(.appeared(node)))
        rename(scratch("a"), scratch("z"))
        #expect(watch.drain().isEmpty, "a folder above the node's own is not watched once the node is there")
        rename(scratch("z/b"), scratch("z/c"))
        #expect(next(watch) == [.removed(node)])
        scratch.file("a/b/pcmC0D0p")
        #expect(next(watch) == [.appeared(node)])
    }

    @Test("Several nodes of one folder are told apart, and one that is no longer watched is silent")
    func several() throws {
        let nodes = ["video0", "video1", "video2"].map { scratch($0) }
        let watch = try NodeWatch()
        for node in nodes { try watch.add(node) }
        for name in ["video1", "video2"] { scratch.file(name) }
        #expect(Set(watch.drain()) == [.appeared(nodes[1]), .appeared(nodes[2])])
        watch.remove(nodes[1])
        unlink(nodes[1])
        unlink(nodes[2])
        #expect(watch.drain() == [.removed(nodes[2])])
        for node in nodes { watch.remove(node) }
        scratch.file("video0")
        #expect(watch.drain().isEmpty)
    }

    @Test("Watching in many rounds leaves nothing behind")
    func rounds() throws {
        let watch = try NodeWatch()
        for _ in 0..<200 {
            try watch.add(scratch("video0"))
            scratch.file("video0")
            _ = watch.drain()
            unlink(scratch("video0"))
            _ = watch.drain()
            watch.remove(scratch("video0"))
        }
        let facts = try #require(SmallFile.text("/proc/self/fdinfo/\(watch.descriptor)"))
        #expect(!facts.contains("inotify wd:"), "\(facts)")
    }

    @Test("When too much happens to be told, overflow says: look again")
    func overflow() throws {
        let limit = try #require(SmallFile.line("/proc/sys/fs/inotify/max_queued_events").flatMap { Int($0) })
        let scratch = Scratch(in: "/dev/shm")
        let a = scratch.file("a")
        let watch = try NodeWatch()
        try watch.add(a)
        for number in 0...limit { mkdir(scratch("x\(number)"), 0o700) }  // the kernel merges equal events
        var events: [NodeEvent] = []
        while isReadable(watch.descriptor) { events += watch.drain() }
        #expect(events.contains(.overflow))
        unlink(a)
        #expect(next(watch).contains(.removed(a)))
    }

    @Test("A node that may not be read is watched through its folder", .enabled(if: geteuid() == 0, "needs setuid"))
    func noPermission() async {
        await #expect(processExitsWith: .success) {
            let scratch = Scratch()
            chmod(scratch.path, 0o755)
            let node = scratch.file("video0")
            chmod(node, 0o600)
            let child = Child("exec 5<$1; echo; read line; exec 5<&-", node)
            precondition(setuid(65534) == 0)
            let watch = try NodeWatch()
            try watch.add(node)
            child.tell("let go")
            awaitReadable(watch.descriptor)
            precondition(watch.drain() == [.closed(node)])
        }
    }

    @Test("The end of a holder is told by its pidfd, after its descriptors are closed")
    func holderEnds() throws {
        let child = Child("exec 5<$1; echo; read line", scratch.file("video0"))
        let watch = try HolderWatch(pid: child.pid)
        #expect(!watch.hasEnded)
        kill(child.pid, SIGKILL)
        awaitReadable(watch.descriptor)
        #expect(watch.hasEnded)
        #expect(DeviceHolders.of(node: scratch("video0")).isEmpty)
        child.kill()
        #expect(watch.hasEnded)
        #expect(throws: DeviceError.self) { _ = try HolderWatch(pid: child.pid) }
    }
}
