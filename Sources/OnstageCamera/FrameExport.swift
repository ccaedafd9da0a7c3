internal import CLinux

/// The dma-bufs of one buffer, a descriptor for each memory; changed under its buffer's lock only.
///
/// Whoever reads a descriptor says so for as long as it does: its number must not be given out again meanwhile. So the last
/// reader of an export that has ended closes it, and nobody waits for a reader.
struct FrameExport {
    private(set) var descriptors: InlineArray<4, Int32> = .init(repeating: -1)
    private var users = 0
    private var hasEnded = false

    init() {}

    /// - Parameter descriptors: ours from now on.
    init(_ descriptors: InlineArray<4, Int32>) {
        self.descriptors = descriptors
    }

    /// Whether there is something to lend.
    var isOpen: Bool { descriptors[0] >= 0 && !hasEnded }

    /// One reader more; false when there is nothing to lend (any more).
    mutating func begin() -> Bool {
        guard isOpen else { return false }
        users += 1
        return true
    }

    /// One reader less.
    mutating func finish() {
        users -= 1
        if hasEnded, users == 0 { close() }
    }

    /// Nothing is lent from now on; closed at once, or by the last reader.
    mutating func end() {
        hasEnded = true
        if users == 0 { close() }
    }

    private mutating func close() {
        for memory in descriptors.indices where descriptors[memory] >= 0 {
            _ = clinux_close(descriptors[memory])
            descriptors[memory] = -1
        }
    }
}
