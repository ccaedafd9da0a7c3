internal import CLinux
package import OnstageCore

/// Who has a device open or mapped, as far as /proc shows it.
///
/// An ordinary user sees the descriptors of its own processes only. A process in another PID namespace is never seen.
/// *Runs on:* any thread, but it reads all of /proc: not where a wish must return at once.
package enum DeviceHolders {
    /// The processes that hold `node`, by process ID: by an open descriptor of the same device number, whatever the path it
    /// was opened by, or by a mapping that outlives its descriptor.
    ///
    /// - Parameters:
    ///   - node: The node or a link to it. Also found when it was removed while somebody holds it.
    ///   - includingSelf: Whether this process counts.
    ///   - knownBusy: A call said EBUSY. Then the answer is never "nobody": where /proc shows none, it is one holder without
    ///     a process ID, "a process of another user".
    ///   - limit: The scan ends after this time with what it has found.
    package static func of(
        node: String, includingSelf: Bool = true, knownBusy: Bool = false, limit: Duration = .milliseconds(500),
        proc: String = "/proc"
    ) -> [DeviceHolder] {
        let holders = of(nodes: [node], includingSelf: includingSelf, limit: limit, proc: proc)[0]
        return holders.isEmpty && knownBusy ? [unknown] : holders
    }

    /// The same for several nodes in one scan: one list for each, in their order.
    package static func of(
        nodes: [String], includingSelf: Bool = true, limit: Duration = .milliseconds(500), proc: String = "/proc"
    ) -> [[DeviceHolder]] {
        var scan = HolderScan(nodes: nodes)
        scan.run(proc: proc, leavingOut: includingSelf ? nil : getpid(), until: .now + limit)
        return scan.pids.map { pids in
            pids.sorted().map { DeviceHolder(pid: $0, program: program(of: $0, proc: proc)) }
        }
    }

    /// The holder of whom nothing is known but that there is one.
    package static let unknown = DeviceHolder(pid: nil, program: nil)

    /// The name of a process (`comm`); nil when it has ended.
    package static func program(of pid: Int32, proc: String = "/proc") -> String? {
        SmallFile.line("\(proc)/\(pid)/comm")
    }
}

/// One pass over the processes, looking for the holders of some nodes.
private struct HolderScan {
    /// What a descriptor or a mapping is compared with.
    private struct Target {
        var file: clinux_file?
        /// How the kernel shows it in /proc when the node has been removed.
        var removed: [UInt8]
        /// How /proc/PID/maps shows a mapping of it.
        var mapped: [UInt8]
    }

    private let targets: [Target]
    private(set) var pids: [[Int32]]

    init(nodes: [String]) {
        pids = Array(repeating: [], count: nodes.count)
        targets = nodes.map { node in
            var file = clinux_file()
            guard clinux_look(AT_FDCWD, node, &file) == 0 else {
                let removed = Array("\(node) (deleted)".utf8)
                return Target(file: nil, removed: removed, mapped: [UInt8(ascii: " ")] + removed)
            }
            // "MAJOR:MINOR INODE ", both device numbers in hexadecimal with at least two digits.
            let major = hexadecimal(file.device >> 32)
            let minor = hexadecimal(file.device & 0xffff_ffff)
            return Target(file: file, removed: [], mapped: Array(" \(major):\(minor) \(file.inode) ".utf8))
        }
    }

    mutating func run(proc: String, leavingOut own: Int32?, until deadline: MonotonicTime) {
        guard let processes = try? Folder(proc) else { return }  // no /proc: nobody can be named
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { page.deallocate() }
        while let name = processes.next() {
            let number = clinux_number(name)
            guard number > 0, let pid = Int32(exactly: number), pid != own else { continue }
            // Gone in the meantime, or of another user (EACCES): not to be known.
            let process = clinux_open_at(processes.descriptor, name, O_RDONLY | O_DIRECTORY)
            guard process >= 0 else { continue }
            look(at: process, pid: pid, page: page)
            _ = clinux_close(process)
            if MonotonicTime.now > deadline { return }
        }
    }

    private mutating func look(at process: Int32, pid: Int32, page: UnsafeMutableRawBufferPointer) {
        if let descriptors = try? Folder("fd", at: process) {  // another user's: EACCES
            while let name = descriptors.next() {
                var file = clinux_file()
                guard clinux_look(descriptors.descriptor, name, &file) == 0 else { continue }
                for index in targets.indices where pids[index].last != pid {
                    if isHeld(targets[index], by: file, descriptors.descriptor, name, page) { pids[index].append(pid) }
                }
            }
        }
        if targets.indices.contains(where: { pids[$0].last != pid }) { lookAtMappings(process, pid, page) }
    }

    private func isHeld(
        _ target: Target, by file: clinux_file, _ folder: Int32, _ name: UnsafePointer<CChar>,
        _ page: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let isCharacterDevice = clinux_is_character_device(file)
        guard let wanted = target.file else {
            guard isCharacterDevice else { return false }
            let length = clinux_link(folder, name, page.baseAddress, page.count)
            return length >= 0 && page[..<length].elementsEqual(target.removed)
        }
        if isCharacterDevice, clinux_is_character_device(wanted) { return file.rdev == wanted.rdev }
        return file.inode == wanted.inode && file.device == wanted.device
    }

    private mutating func lookAtMappings(_ process: Int32, _ pid: Int32, _ page: UnsafeMutableRawBufferPointer) {
        let file = clinux_open_at(process, "maps", O_RDONLY)
        guard file >= 0, let start = page.baseAddress else { return }
        defer { _ = clinux_close(file) }
        var kept = 0  // the kernel hands out whole lines, but a needle must not be cut by a page's end all the same
        while true {
            let answer = clinux_read(file, start + kept, page.count - kept)
            guard answer > 0 else { return }
            let count = kept + answer
            for index in targets.indices where pids[index].last != pid {
                let needle = targets[index].mapped
                if clinux_find(start, count, needle, needle.count) >= 0 { pids[index].append(pid) }
            }
            kept = min(count, 512)
            memmove(start, start + count - kept, kept)
        }
    }
}

private func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return digits.count < 2 ? "0" + digits : digits
}
