internal import CV4L2
internal import Glibc

/// Which registration of a device a node belongs to: a node that is made anew has another one, also under the same number.
struct NodeStamp: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    private let number: UInt64
    private let changedSeconds: Int
    private let changedNanoseconds: Int

    /// Nil when there is no such node. *C: `stat`.*
    init?(_ node: String) {
        var facts = stat()
        guard stat(node, &facts) == 0, facts.st_mode & S_IFMT == S_IFCHR else { return nil }
        device = UInt64(facts.st_dev)
        inode = UInt64(facts.st_ino)
        number = UInt64(facts.st_rdev)
        changedSeconds = facts.st_ctim.tv_sec
        changedNanoseconds = facts.st_ctim.tv_nsec
    }
}
