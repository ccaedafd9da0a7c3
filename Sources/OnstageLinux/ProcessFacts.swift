internal import CLinux

/// What the kernel says a process has open, mapped and running: how tests and `onstage` itself prove that nothing is left.
package enum ProcessFacts {
    /// One open descriptor and what it refers to ("/dev/video0", "anon_inode:[eventfd]", "socket:[42]").
    package struct OpenDescriptor: Hashable, Sendable {
        package var number: Int32
        package var target: String
    }

    /// The open descriptors of a process, by number, without the one that this look needs; empty when it may not be seen.
    package static func descriptors(pid: Int32 = getpid()) -> [OpenDescriptor] {
        guard let folder = try? Folder("/proc/\(pid)/fd") else { return [] }  // another user's, or gone
        var found: [OpenDescriptor] = []
        while let name = folder.next() {
            guard let number = Int32(exactly: clinux_number(name)) else { continue }
            if pid == getpid(), number == folder.descriptor { continue }
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { text in
                let length = clinux_link(folder.descriptor, name, text.baseAddress, text.count)
                guard length >= 0 else { return }
                let target = String(decoding: text[..<length].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                found.append(OpenDescriptor(number: number, target: target))
            }
        }
        return found.sorted { $0.number < $1.number }
    }

    /// The paths of the files and devices that a process has mapped, one for each mapping, in the order of addresses.
    package static func mappings(pid: Int32 = getpid()) -> [String] {
        guard let text = SmallFile.text("/proc/\(pid)/maps", limit: 1 << 20) else { return [] }
        return text.split(separator: "\n").compactMap { line in
            line.firstIndex(of: "/").map { String(line[$0...]) }
        }
    }

    /// The descriptors and mappings of device nodes: what must be gone after a release. Paths below the prefixes
    /// "/dev/video", "/dev/media", "/dev/v4l", "/dev/iio:" and "/dev/snd/".
    package static func heldDevices(pid: Int32 = getpid()) -> [String] {
        let prefixes = ["/dev/video", "/dev/media", "/dev/v4l", "/dev/iio:", "/dev/snd/"]
        let all = descriptors(pid: pid).map(\.target) + mappings(pid: pid)
        return all.filter { path in prefixes.contains { path.hasPrefix($0) } }
    }

    /// How many threads a process has; 0 when it is gone.
    package static func threadCount(pid: Int32 = getpid()) -> Int {
        Folder.names(in: "/proc/\(pid)/task").count
    }
}
