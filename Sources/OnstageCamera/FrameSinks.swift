package import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// The readers of one camera. May be changed at any time, from any thread.
package final class FrameSinks: Sendable {
    private let list = Mutex<[FrameSink]>([])
    /// Counts changes of the list, so that the device's thread takes the lock only when there was one.
    let version = Atomic<UInt64>(0)
    private let complaint = Mutex<ConversionError?>(nil)
    private let hasComplaint = Atomic<Bool>(false)

    package init() {}

    deinit {
        for sink in list.withLock({ $0 }) { sink.queue?.stop() }
    }

    /// Adds a reader. Frames come from the next one on.
    ///
    /// `body` is never called for a frame of an acquire whose receipt has been given.
    /// - Throws: `tooMany` when the kernel gives no thread for a queued sink.
    @discardableResult
    package func add(
        _ place: SinkPlace = .queued, as pixels: FrameSink.Pixels = .native,
        backpressure: FrameSink.Backpressure = .keepLatest,
        _ body: @escaping @Sendable (borrowing Frame) -> Void
    ) throws(DeviceError) -> FrameSink {
        var depth: Int?
        if case .blockProducer(let count) = backpressure { depth = min(16, max(1, count)) }
        let sink = FrameSink(
            place: place, pixels: pixels, depth: depth,
            onRemoval: { [weak self] sink in self?.forget(sink) },
            complain: { [weak self] error in self?.complain(error) }, body: body)
        if let queue = sink.queue {
            try PosixThread.start("onstage-frames") { sink.run(queue) }
        }
        list.withLock { $0.append(sink) }
        version.wrappingAdd(1, ordering: .releasing)
        return sink
    }

    /// The frames as a sequence that holds the newest one until it is asked for; older ones are let go. A frame from before
    /// a release is never handed out after it. Ends when the last copy of the sequence's iterator goes.
    package func frames() throws(DeviceError) -> NewestFrames {
        let slot = NewestFrames.Slot()
        let sink = try add(.inline) { frame in slot.put(frame.keep()) }
        slot.sink.withLock { $0 = sink }
        onWithdrawal(slot)
        return NewestFrames(slot: slot)
    }

    /// How many buffers a camera needs, if its configuration does not say: one that the device fills while another is handed
    /// on, one more for each queued sink and each sequence that may be busy with its own, and those that the app means to
    /// keep.
    func buffers(for configuration: CameraConfiguration) -> Int {
        if let count = configuration.buffers { return count }
        let sequences = withdrawals.withLock { $0.count { $0.target is NewestFrames.Slot } }
        let queued = list.withLock { $0.reduce(0) { $0 + ($1.queue.map { $0.depth ?? 1 } ?? 0) } }
        return min(32, 2 + queued + sequences + configuration.keptFrames)
    }

    var all: [FrameSink] { list.withLock { $0 } }

    private struct Weak: Sendable {
        weak let target: (any WithdrawnAtRelease)?
        init(_ target: any WithdrawnAtRelease) { self.target = target }
    }
    private let withdrawals = Mutex<[Weak]>([])

    /// Calls ``WithdrawnAtRelease/withdraw()`` at each release, as long as `target` is there.
    func onWithdrawal(_ target: any WithdrawnAtRelease) {
        withdrawals.withLock { $0.append(Weak(target)) }
    }

    /// Lets go of the frames that wait somewhere. *Runs on:* the device's thread, at a release.
    func withdrawWaiting() {
        let targets = withdrawals.withLock { list -> [any WithdrawnAtRelease] in
            list.removeAll { $0.target == nil }
            return list.compactMap { $0.target }
        }
        for target in targets { target.withdraw() }
    }

    private func forget(_ sink: FrameSink) {
        list.withLock { $0.removeAll { $0 === sink } }
        version.wrappingAdd(1, ordering: .releasing)
    }

    private func complain(_ error: ConversionError) {
        complaint.withLock { $0 = error }
        hasComplaint.store(true, ordering: .releasing)
    }

    /// Why the last conversion failed, once. *Runs on:* the device's thread.
    func takeComplaint() -> ConversionError? {
        guard hasComplaint.load(ordering: .relaxed), hasComplaint.exchange(false, ordering: .acquiring) else {
            return nil
        }
        return complaint.withLock { $0 }
    }
}

/// What keeps frames, or waits for them, beyond a call.
protocol WithdrawnAtRelease: AnyObject, Sendable {
    /// The camera is given back. *Runs on:* the device's thread.
    func withdraw()
}
