/// What lies between the device's thread and a sink's own: the newest frame or nothing; for a sink that lets the camera wait,
/// all frames up to its depth.
///
/// Unchecked: everything that changes is touched with the gate's lock only.
final class SinkQueue: @unchecked Sendable {
    struct Taken {
        let buffer: FrameBuffer
        let missed: Int
        let epoch: UInt64
    }

    private let gate = Gate()
    private var slot: FrameBuffer?
    /// Frames that the sink may have at once, waiting and in work; nil when newer frames take the place of older ones.
    let depth: Int?
    private var line: [FrameBuffer] = []
    private var inFlight = 0
    private var missed = 0
    /// Counts the releases: what was taken before one is not begun after it.
    private var epoch: UInt64 = 0
    private var isStopped = false

    init(depth: Int? = nil) {
        self.depth = depth
        line.reserveCapacity(depth ?? 0)
    }

    /// Whether no further frame may be put: the camera waits. *Runs on:* the device's thread.
    var isFull: Bool {
        guard let depth else { return false }
        gate.lock()
        defer { gate.unlock() }
        return !isStopped && inFlight >= depth
    }

    /// The frame that was taken last is done with; before its buffer is given back. *Runs on:* the sink's own thread.
    func finish() {
        guard depth != nil else { return }
        gate.lock()
        inFlight -= 1
        gate.unlock()
    }

    /// Puts a frame, which has a hold for this slot already, in the place of the one that waits, which is handed back.
    /// *Runs on:* the device's thread.
    func put(_ buffer: FrameBuffer) -> FrameBuffer? {
        gate.lock()
        defer { gate.unlock() }
        if isStopped { return buffer }
        if depth != nil {
            line.append(buffer)
            inFlight += 1
            gate.wake()
            return nil
        }
        let old = slot
        slot = buffer
        if old != nil { missed += 1 } else { gate.wake() }
        return old
    }

    /// Takes back the frame that waits, because a newer one has come. *Runs on:* the device's thread.
    func displace() -> FrameBuffer? {
        gate.lock()
        defer { gate.unlock() }
        guard let old = slot else { return nil }
        slot = nil
        missed += 1
        return old
    }

    /// A frame passed by because there was no buffer to spare. *Runs on:* the device's thread.
    func skip() {
        gate.lock()
        missed += 1
        gate.unlock()
    }

    /// Nothing that was put begins a call any more; what waited goes home. *Runs on:* the device's thread.
    func withdraw() {
        gate.lock()
        epoch += 1
        missed = 0
        let old = takeAll()
        gate.unlock()
        for buffer in old { buffer.giveBack() }
    }

    private func takeAll() -> [FrameBuffer] {
        let all = (slot.map { [$0] } ?? []) + line
        slot = nil
        inFlight -= line.count
        line.removeAll(keepingCapacity: true)
        return all
    }

    /// Ends the sink's thread. *Runs on:* any thread.
    func stop() {
        gate.lock()
        isStopped = true
        epoch += 1
        let old = takeAll()
        gate.wake()
        gate.unlock()
        for buffer in old { buffer.giveBack() }
    }

    /// Whether a call for what was taken in `epoch` may still begin.
    func isWanted(_ epoch: UInt64) -> Bool {
        gate.lock()
        defer { gate.unlock() }
        return self.epoch == epoch
    }

    /// The next frame; nil at the end. *Runs on:* the sink's own thread.
    func next() -> Taken? {
        gate.lock()
        defer { gate.unlock() }
        while true {
            if isStopped { return nil }
            if let buffer = slot {
                slot = nil
                defer { missed = 0 }
                return Taken(buffer: buffer, missed: missed, epoch: epoch)
            }
            if !line.isEmpty { return Taken(buffer: line.removeFirst(), missed: 0, epoch: epoch) }
            gate.wait()
        }
    }
}
