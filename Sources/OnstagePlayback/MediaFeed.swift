package import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// Decoded sound on its way from a media source to the thread that plays it.
///
/// A file is read and decoded ahead of the player by a thread of its own, so that neither a slow disk nor a heavy decoder
/// makes the sound late, and a disk that hangs keeps no device: the player never waits for it. What was handed on lately is
/// kept, so that what a pause takes back from the device is played again from here, bit by bit, without a seek.
///
/// *Runs on:* made on any thread; then one player's at a time.
package final class MediaFeed: Sendable {
    /// What stands ready.
    enum Piece {
        /// So many frames, in one piece.
        case frames(UnsafeRawPointer, Int)
        /// The media has more, but it has not come yet.
        case notYet
        /// The end of the pass, and no other is wished.
        case end
    }

    package let info: MediaInfo
    package let format: SourceFormat
    /// Whether it comes when it comes: then it is waited for without end, in silence.
    var isLive: Bool { reader.isLive }
    let reader: MediaReader
    /// Whether a thread of its own reads.
    private let isAhead: Bool
    private let hasThread = Mutex(false)

    /// The most memory for decoded sound. Longer is only what has many channels and a high rate at once.
    private static let mostBytes: Int64 = 16 << 20
    /// The most that is made present ahead of what plays.
    private static let mostMapped: Int64 = 4 << 20

    /// Sound that is there as soon as it is asked for: read on the player's thread, a period at a time.
    package convenience init(_ source: any MediaSource) {
        self.init(source, ahead: .milliseconds(100), kept: .milliseconds(500), bells: nil)
    }

    /// Sound that is read ahead by a thread of its own, begun at first use.
    ///
    /// - Parameters:
    ///   - ahead: how much is kept ready. 0.1…10 s.
    ///   - kept: how much a pause may have to take back: what the device and its plug-ins are given ahead, and more.
    /// - Throws: `tooMany` when the process is out of descriptors.
    package convenience init(
        _ source: any MediaSource, ahead: Duration, kept: Duration = .milliseconds(500)
    ) throws(DeviceError) {
        let bells = try MediaReader.Bells()
        self.init(source, ahead: ahead, kept: kept, bells: bells)
    }

    private init(_ source: any MediaSource, ahead: Duration, kept: Duration, bells: MediaReader.Bells?) {
        info = source.info
        format = source.format
        isAhead = bells != nil
        let rate = Int64(max(1, info.rate))
        let bytes = Int64(max(1, info.channels) * format.bytes)
        func frames(_ time: Duration, _ limits: ClosedRange<Duration>) -> Int64 {
            min(max(time, limits.lowerBound), limits.upperBound).wholeNanoseconds / 1000 * rate / 1_000_000
        }
        let most = max(8192, Self.mostBytes / bytes)
        let back = min(frames(kept, .zero ... .seconds(5)), most / 2)
        let front = min(max(1024, frames(ahead, .milliseconds(100) ... .seconds(10))), most - back)
        // Pages that are there cost nothing; to wake for them does.
        let pages = bells == nil ? nil : max(front, min(16 * rate, Self.mostMapped / bytes))
        reader = MediaReader(source, capacity: back + front, kept: back, mapping: pages, bells: bells)
    }

    deinit {
        // The thread keeps the reader alive; it ends when its source lets go of it, and nobody waits for that.
        reader.state.withLock { $0.isClosed = true }
        reader.wake()
    }

    /// Source frames of a pass, once its end has been met: what it really is, not what a header says.
    var length: Int64? { reader.state.withLock { $0.ring.length } }

    /// What is taken next is the source frame `frame`. Never waits.
    /// - Throws: `tooMany` when the kernel gives no thread.
    func seek(to frame: Int64) throws(DeviceError) {
        reader.state.withLock { state in
            state.error = nil
            state.playerWaitsFor = nil
            state.isReaderAsleep = false
            guard !state.ring.move(to: frame, looped: state.isLooped) else {
                // The player has begun: nobody else sets the place now (``prefetch(at:)``).
                state.jumps = max(1, state.jumps)
                return
            }
            state.ring.jump(to: frame)
            state.jumps += 1
        }
        try begin()
        reader.wake()
    }

    /// Begins to read at the source frame `frame`, unless something has been read already: then the sound needs no more than
    /// its device. *Runs on:* any thread.
    /// - Throws: `tooMany` when the kernel gives no thread.
    package func prefetch(at frame: Int64) throws(DeviceError) {
        let isFirst = reader.state.withLock { state in
            guard isAhead, state.jumps == 0 else { return false }
            state.ring.jump(to: frame)
            state.jumps = 1
            return true
        }
        guard isFirst else { return }
        try begin()
        reader.wake()
    }

    private func begin() throws(DeviceError) {
        guard let bells = reader.bells else { return }
        let isNew = hasThread.withLock { has in
            defer { has = true }
            return !has
        }
        guard isNew else { return }
        let reader = reader
        do throws(DeviceError) {
            try PosixThread.start("onstage-media") { reader.run(bells) }
        } catch {
            hasThread.withLock { $0 = false }
            throw error
        }
    }

    /// The next frames, at most `wanted`; they stay until they are taken.
    /// - Throws: what kept the source from giving the frame that is due.
    func piece(_ wanted: Int, looped: Bool) throws(DeviceError) -> Piece {
        while true {
            let (found, error) = look(wanted, looped)
            if let error { throw error }
            guard case .notYet = found, !isAhead else { return found }
            guard case .done = reader.fill({ _ in Int64(wanted) }) else { return found }
        }
    }

    /// Whether the pieces lie where only the kernel may read them. Changes by calls of the player's alone.
    var isMapped: Bool { reader.isMapped }

    /// The frames of the last piece are not there as they were said to be: they are read anew, as a file is. False where
    /// that has been done.
    func leaveMap() -> Bool {
        guard isMapped else { return false }
        reader.state.withLock { state in
            guard !state.ring.isAtPassEnd(looped: state.isLooped) else { return }
            reader.leaveMap(&state)
        }
        reader.wake()
        return !isMapped
    }

    /// Has the kernel copy the first `frames` frames of the last piece; answers how many came. None: they come later, and
    /// are asked for like any other.
    func copy(_ from: UnsafeRawPointer, _ frames: Int, to: UnsafeMutableRawPointer) -> Int {
        guard let map = reader.map else { return 0 }
        let came = map.copy(from, bytes: frames * reader.frameBytes, to: to)
        if came >= reader.frameBytes { return came / reader.frameBytes }
        if came == -Int(Errno.EAGAIN) {
            // The kernel needed their memory for something else.
            reader.state.withLock { state in
                state.ring.jump(to: state.ring.source(state.ring.place))
                state.isReaderAsleep = false
                state.jumps += 1
            }
            reader.wake()
        } else {
            _ = leaveMap()
        }
        return 0
    }

    /// How many frames are handed on in one go in steady play, of which `rest` are still to be played when the next ones are
    /// asked for. The reading thread sees when they are taken that it has room again: up to where it is to be woken, then all
    /// there is while it reads.
    func steadyFrames(rest: Int) -> Int {
        guard isMapped else { return rest + max(1024, info.rate / 8) }
        return reader.state.withLock { state in
            let available = state.ring.available(looped: state.isLooped)
            let wake = state.ring.wakeFree - state.ring.free
            return Int(wake > 0 ? min(available, wake + Int64(rest)) : available)
        }
    }

    private func look(_ wanted: Int, _ looped: Bool) -> (Piece, DeviceError?) {
        reader.state.withLock { state in
            if state.isLooped != looped {
                state.isLooped = looped
                state.isReaderAsleep = false
                reader.wake()
            }
            leaveIfBroken(&state, Int64(1))
            if isMapped, let map = reader.map {
                let first = state.ring.source(state.ring.place)
                let frames = min(Int64(wanted), state.ring.available(looped: looped), info.frames - first)
                if frames > 0 { return (.frames(map.address(first), Int(frames)), nil) }
            } else {
                let (slot, frames) = state.ring.piece(Int64(wanted), looped: looped)
                if frames > 0 { return (.frames(reader.address(slot), frames), nil) }
            }
            if state.ring.isAtPassEnd(looped: looped) { return (.end, nil) }
            return (state.isAtEnd ? .end : .notYet, state.error)
        }
    }

    /// What could not be made present is read, as soon as less than `wanted` frames stand.
    private func leaveIfBroken(_ state: inout MediaReader.State, _ wanted: Int64) {
        guard state.isMapBroken, isMapped, state.ring.available(looped: state.isLooped) < wanted,
            !state.ring.isAtPassEnd(looped: state.isLooped)
        else { return }
        reader.leaveMap(&state)
        reader.wake()
    }

    /// The first `frames` of the last piece have been handed on. None: what was taken without a waking is made good.
    func take(_ frames: Int, wakes: Bool = true) {
        let isWoken = reader.state.withLock { state in
            state.ring.take(Int64(frames), looped: state.isLooped)
            // Seldom and much: each waking costs as much as a period's copy.
            guard wakes, state.isReaderAsleep, !state.isAtEnd, state.ring.free >= state.ring.wakeFree
            else { return false }
            state.isReaderAsleep = false
            return true
        }
        if isWoken { reader.wake() }
    }

    /// How many of the next `wanted` frames stand ready.
    ///
    /// - Parameter looped: over the end of a pass; nil as it was taken last.
    func ready(_ wanted: Int, looped: Bool? = nil) -> Int {
        while true {
            let available = reader.state.withLock { Int($0.ring.available(looped: looped ?? $0.isLooped)) }
            guard available < wanted, !isAhead, case .done = reader.fill({ _ in Int64(wanted - available) }) else {
                return min(wanted, available)
            }
        }
    }

    /// Whether at least `frames` stand ready, or all that will come.
    func isReady(_ frames: Int) -> Bool {
        if !isAhead {
            // Asked here and now; what it has is kept.
            return !isLive || ready(frames) >= frames || reader.state.withLock { $0.isAtEnd || $0.error != nil }
        }
        return reader.state.withLock { state in
            leaveIfBroken(&state, Int64(frames))
            state.playerWaitsFor = Int64(frames)
            return state.takeWaiting()
        }
    }

    /// Names what to wait for until ``isReady(_:)``, asked right before, can have become true.
    func prepare(_ wait: inout WaitSet, now: MonotonicTime) {
        if let bells = reader.bells {
            wait.add(bells.player.descriptor)
        } else {
            wait.wake(at: now + MediaReader.askAgain)
        }
    }

    /// Takes note that the wait has ended.
    func acknowledge() {
        _ = reader.bells?.player.take()
    }
}
