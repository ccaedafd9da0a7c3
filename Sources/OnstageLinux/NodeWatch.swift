internal import CLinux
package import OnstageCore

/// Watches device nodes, present or absent, by inotify: who waits for one is told when it comes, or when its holder lets go.
///
/// A node that may be opened is watched itself; one that may not (EACCES) is watched through its folder, which tells the
/// same for more wake-ups. An absent node is watched through the nearest folder there is.
/// *Runs on:* one thread; the descriptor may be polled by it beside others.
package final class NodeWatch {
    private struct Node {
        /// The watch of the node itself, where it exists and may be read.
        var own: Int32?
        /// The watch of the nearest folder there is, and the name awaited in it.
        var folder: Int32?
        var name = ""
        /// Whether `folder` is the node's own folder.
        var isNear = false
    }

    private let inotify: Descriptor
    private var nodes: [String: Node] = [:]
    /// The kernel gives one number to one folder or node, however often it is asked for.
    private var folders: [Int32: String] = [:]

    /// - Throws: `tooMany` when this user has no inotify instance left. *C: `inotify_init1`.*
    package init() throws(DeviceError) {
        let answer = clinux_inotify()
        guard answer >= 0 else {
            throw DeviceError(
                errno: -answer, operation: "inotify_init1", device: "inotify",
                advice: "raise fs.inotify.max_user_instances")
        }
        inotify = Descriptor(owning: answer)
    }

    /// Readable when ``drain()`` has something to tell.
    package var descriptor: Int32 { inotify.number }

    /// Watches `node`, an absolute path, from now on: look at the node after this call, and nothing is missed.
    /// - Throws: `tooMany` when this user has no watch left. *C: `inotify_add_watch`.*
    package func add(_ node: String) throws(DeviceError) {
        guard nodes[node] == nil else { return }
        nodes[node] = Node()
        do {
            try arm(node)
        } catch {
            remove(node)
            throw error
        }
    }

    /// Watches it no more. *C: `inotify_rm_watch`.*
    package func remove(_ node: String) {
        guard let gone = nodes.removeValue(forKey: node) else { return }
        release(own: gone.own)
        release(folder: gone.folder)
    }

    /// What has happened since the last call, each event once however often it came. Never blocks. *C: `read`.*
    package func drain() -> [NodeEvent] {
        var events: [NodeEvent] = []
        withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 8) { bytes in
            // A bound, so that a storm of events cannot hold the caller: the descriptor stays readable.
            for _ in 0..<64 {
                let count = clinux_read(inotify.number, bytes.baseAddress, bytes.count)
                guard count > 0 else { return }
                var at = 0
                while at + 16 <= count {
                    let number = bytes.loadUnaligned(fromByteOffset: at, as: Int32.self)
                    let mask = bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
                    let length = Int(bytes.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
                    let name = bytes[at + 16..<min(count, at + 16 + length)].prefix { $0 != 0 }
                    take(number, Mask(rawValue: mask), String(decoding: name, as: UTF8.self), into: &events)
                    at += 16 + length
                }
            }
        }
        return events
    }

    private func take(_ number: Int32, _ mask: Mask, _ name: String, into events: inout [NodeEvent]) {
        func tell(_ event: NodeEvent) {
            if !events.contains(event) { events.append(event) }
        }
        if mask.contains(.overflow) {
            for node in nodes.keys { try? arm(node) }  // what cannot be watched now is found by the caller's look
            return tell(.overflow)
        }
        if let folder = folders[number] {
            if !mask.isDisjoint(with: [.ignored, .selfDeleted, .selfMoved]) {
                folders[number] = nil
                if mask.contains(.selfMoved) { _ = clinux_inotify_remove(inotify.number, number) }
                for node in nodes.keys.sorted() where nodes[node]?.folder == number { lostFolder(of: node, tell) }
                return
            }
            for node in nodes.keys.sorted() where nodes[node]?.folder == number && nodes[node]?.name == name {
                takeInFolder(folder, node, mask, tell)
            }
        } else {
            if !mask.isDisjoint(with: .closed) {
                for node in nodes.keys.sorted() where nodes[node]?.own == number { tell(.closed(node)) }
            }
            if mask.contains(.ignored) {
                for node in nodes.keys where nodes[node]?.own == number { nodes[node]?.own = nil }
            }
        }
    }

    /// Something happened to `node`, or to a folder on the way to it.
    private func takeInFolder(_ folder: String, _ node: String, _ mask: Mask, _ tell: (NodeEvent) -> Void) {
        guard nodes[node]?.isNear == true else {
            if !mask.isDisjoint(with: .came), rearm(node) { tell(.appeared(node)) }
            return
        }
        if !mask.isDisjoint(with: .went) {
            release(own: nodes[node]?.own, except: node)
            nodes[node]?.own = nil
            tell(.removed(node))
        }
        if !mask.isDisjoint(with: .came) {
            rearm(node)
            tell(.appeared(node))
        }
        if mask.contains(.attributes) {
            rearm(node)
            tell(.changed(node))
        }
        if !mask.isDisjoint(with: .closed), nodes[node]?.own == nil { tell(.closed(node)) }
    }

    /// Arms `node` again; whether it is there. A watch that cannot be had is left to the caller's timer.
    @discardableResult
    private func rearm(_ node: String) -> Bool {
        try? arm(node)
        var file = clinux_file()
        return clinux_look(AT_FDCWD, node, &file) == 0
    }

    /// Watches the nearest folder on the way to `node`, and the node itself if it is there.
    private func arm(_ node: String) throws(DeviceError) {
        let parts = node.split(separator: "/")
        var depth = 0
        // Each round watches one folder and then looks whether the next one is there: none that comes is missed. Folders
        // that come and go all the time end it; the caller's timer is behind it.
        for _ in 0..<64 {
            let isNear = depth == parts.count - 1
            let next = "/" + parts[...depth].joined(separator: "/")
            if !isNear, isFolder(next) {
                depth += 1
                continue
            }
            let folder = "/" + parts[..<depth].joined(separator: "/")
            guard try watch(folder, for: node, name: String(parts[depth]), isNear: isNear) else {
                depth = 0  // it has gone in the meantime: from the root again
                continue
            }
            if isNear || !isFolder(next) { break }
        }
        guard nodes[node]?.isNear == true else { return }
        let answer = clinux_inotify_add(inotify.number, node, Mask.closed.rawValue)
        switch -answer {
        case ...0:
            if let old = nodes[node]?.own, old != answer { release(own: old, except: node) }
            nodes[node]?.own = answer
        case Errno.EACCES:
            nodes[node]?.own = nil
            // Not ours to watch, but its folder tells of it too.
            if let folder = nodes[node]?.folder, let path = folders[folder] {
                _ = clinux_inotify_add(inotify.number, path, Mask.folder.union(.closed).rawValue)
            }
        case Errno.ENOENT: nodes[node]?.own = nil
        default: throw failure(-answer, node)
        }
    }

    private func isFolder(_ path: String) -> Bool {
        var file = clinux_file()
        return clinux_look(AT_FDCWD, path, &file) == 0 && clinux_is_folder(file)
    }

    /// Watches `folder` for `node`; false when it is not there.
    private func watch(
        _ folder: String, for node: String, name: String, isNear: Bool
    ) throws(DeviceError) -> Bool {
        // Added to what is asked of it already: another node may need its closes told.
        let mask = Mask.folder.rawValue | 0x2000_0000 | 0x0100_0000  // IN_MASK_ADD, IN_ONLYDIR
        let answer = clinux_inotify_add(inotify.number, folder, mask)
        if -answer == Errno.ENOENT || -answer == Errno.ENOTDIR { return false }
        guard answer >= 0 else { throw failure(-answer, folder) }
        let old = nodes[node]?.folder
        folders[answer] = folder
        nodes[node]?.folder = answer
        nodes[node]?.name = name
        nodes[node]?.isNear = isNear
        if let old, old != answer { release(folder: old) }
        return true
    }

    /// The folder that `node` was awaited in is gone.
    private func lostFolder(of node: String, _ tell: (NodeEvent) -> Void) {
        let own = nodes[node]?.own
        release(own: own, except: node)
        nodes[node] = Node()
        let isThere = rearm(node)
        if own != nil { tell(.removed(node)) }
        if isThere { tell(.appeared(node)) }
    }

    private func release(folder number: Int32?) {
        guard let number, !nodes.values.contains(where: { $0.folder == number }) else { return }
        folders[number] = nil
        _ = clinux_inotify_remove(inotify.number, number)
    }

    private func release(own number: Int32?, except node: String? = nil) {
        guard let number, !nodes.contains(where: { $0.key != node && $0.value.own == number }) else { return }
        _ = clinux_inotify_remove(inotify.number, number)
    }

    private func failure(_ errno: Int32, _ path: String) -> DeviceError {
        DeviceError(
            errno: errno, operation: "inotify_add_watch", device: path,
            advice: errno == Errno.ENOSPC ? "raise fs.inotify.max_user_watches" : nil)
    }
}

extension NodeWatch {
    /// inotify's bits.
    private struct Mask: OptionSet {
        var rawValue: UInt32
        static let attributes = Mask(rawValue: 0x4)
        static let closed = Mask(rawValue: 0x8 | 0x10)
        static let went = Mask(rawValue: 0x40 | 0x200)
        static let came = Mask(rawValue: 0x80 | 0x100)
        static let selfDeleted = Mask(rawValue: 0x400)
        static let selfMoved = Mask(rawValue: 0x800)
        static let overflow = Mask(rawValue: 0x4000)
        static let ignored = Mask(rawValue: 0x8000)
        static let folder: Mask = [.attributes, .went, .came, .selfDeleted, .selfMoved]
    }
}
