internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// Fills a ring with what a media source gives: on a thread of its own, or when it is asked on the player's.
///
/// No lock is held while the source is read. A source that hangs (a network file system, a disk that does not wake) holds
/// nothing but this thread.
///
/// Unchecked: `source` and `sourcePosition` are touched by the one thread that fills, the memory by whoever has the frames
/// by ``MediaRing``'s numbers, which stand under the lock.
final class MediaReader: @unchecked Sendable {
    struct State: Sendable {
        var ring: MediaRing
        /// Counts the player's jumps: what was read for an earlier one is thrown away.
        var jumps = 0
        var isLooped = false
        /// What the source said instead of giving the frame at the ring's end.
        var error: DeviceError?
        var isReaderAsleep = false
        /// The player is to be woken when so many frames are there, or no more will be.
        var playerWaitsFor: Int64?
        var isClosed = false
        /// A part of the map cannot be made present: what stands is played, then the source is read instead.
        var isMapBroken = false

        /// Whether the ring ends where a pass does, and no other is to follow.
        var isAtEnd: Bool {
            guard let length = ring.length else { return false }
            if length == 0 { return true }
            return !isLooped && ring.base + ring.end > 0 && (ring.base + ring.end) % max(1, length) == 0
        }

        /// Whether the player has what it waits for, or need not wait for it.
        mutating func takeWaiting() -> Bool {
            guard let wanted = playerWaitsFor else { return false }
            guard
                ring.available(looped: isLooped) >= wanted || isAtEnd || error != nil || ring.free == 0 || isMapBroken
            else {
                return false
            }
            playerWaitsFor = nil
            return true
        }
    }

    private let source: any MediaSource
    var isLive: Bool { source.isLive }
    private var sourcePosition: Int64 = 0
    let frameBytes: Int
    /// Where it lies by itself; then the ring's numbers go without a ring.
    let map: MediaMap?
    private let mapped: Atomic<Bool>
    /// Written by the player's thread, under the lock, when the map is left.
    private var memory: UnsafeMutableRawBufferPointer
    /// Of the ring in memory.
    private let size: (capacity: Int64, kept: Int64)
    let state: Mutex<State>
    /// How the reading thread and the player are woken; nil where no thread reads.
    let bells: Bells?

    /// Two ways to wake.
    struct Bells: Sendable {
        let reader: Mailbox<Never>
        let player: Mailbox<Never>

        /// - Throws: `tooMany` when the process is out of descriptors.
        init() throws(DeviceError) {
            reader = try Mailbox()
            player = try Mailbox()
        }
    }

    /// - Parameter front: frames that are made present ahead where the source lies in memory; else nil.
    init(_ source: any MediaSource, capacity: Int64, kept: Int64, mapping front: Int64? = nil, bells: Bells?) {
        self.source = source
        self.bells = bells
        size = (capacity, kept)
        frameBytes = source.info.channels * source.format.bytes
        if let front, let map = source.map {
            self.map = map
            mapped = Atomic(true)
            memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            var ring = MediaRing(capacity: kept + front, kept: kept)
            ring.length = source.info.frames
            state = Mutex(State(ring: ring))
        } else {
            map = nil
            mapped = Atomic(false)
            memory = .allocate(byteCount: Int(capacity) * frameBytes, alignment: 64)
            state = Mutex(State(ring: MediaRing(capacity: capacity, kept: kept)))
        }
    }

    /// Whether what is handed on lies in the map. Changes on the player's thread alone.
    var isMapped: Bool { mapped.load(ordering: .relaxed) }

    /// From now on the source is read; what it says then is believed. *Runs on:* the player's thread, with the lock.
    func leaveMap(_ state: inout State) {
        mapped.store(false, ordering: .relaxed)
        memory = .allocate(byteCount: Int(size.capacity) * frameBytes, alignment: 64)
        let place = state.ring.source(state.ring.place)
        state.ring = MediaRing(capacity: size.capacity, kept: size.kept)
        state.ring.jump(to: place)
        (state.isMapBroken, state.isReaderAsleep, state.error) = (false, false, nil)
        state.jumps += 1
    }

    deinit {
        memory.deallocate()
    }

    /// Where the frames of a slot lie. Never empty: allocated above.
    func address(_ slot: Int) -> UnsafeMutableRawPointer {
        memory.baseAddress.unsafelyUnwrapped + slot * frameBytes
    }

    func wake() {
        bells?.reader.wake()
    }

    private enum Step {
        case asleep
        case closed
        case fill(MediaRing.Room, at: Int64, jumps: Int, isMapped: Bool)
    }

    /// What an attempt to read came to.
    enum Filled {
        /// There may be more to do.
        case done
        /// There is nothing to do until somebody wakes.
        case nothingToDo
        /// The source has nothing yet.
        case nothingYet
    }

    /// Reads up to `most` frames into the ring.
    ///
    /// *Runs on:* the reading thread; without one, the player's.
    func fill(_ most: (borrowing MediaRing) -> Int64) -> Filled {
        let step: Step = state.withLock { state in
            if state.isClosed { return .closed }
            let position = state.ring.next
            guard state.error == nil, !state.isMapBroken, !state.isAtEnd,
                let room = state.ring.reserve(most(state.ring))
            else {
                state.isReaderAsleep = true
                return .asleep
            }
            return .fill(room, at: position, jumps: state.jumps, isMapped: isMapped)
        }
        guard case .fill(let room, let position, let jumps, let isMapped) = step else { return .nothingToDo }
        if isMapped, let map { return makePresent(map, room, at: position, jumps) }
        let result = read(room, at: position)
        if case .success(let came) = result, came < 0 { return .nothingYet }
        let isPlayerWoken = state.withLock { state in
            // The player has gone elsewhere meanwhile.
            guard state.jumps == jumps else { return false }
            switch result {
            case .success(0): state.ring.length = position
            case .success(let came): state.ring.publish(Int64(came))
            case .failure(let error): state.error = error
            }
            return state.takeWaiting()
        }
        if isPlayerWoken { bells?.player.wake() }
        return .done
    }

    private func makePresent(_ map: MediaMap, _ room: MediaRing.Room, at position: Int64, _ jumps: Int) -> Filled {
        let frames = min(room.frames, Int(source.info.frames - position))
        let isThere = map.makePresent(position, frames) == 0
        let isPlayerWoken = state.withLock { state in
            guard state.jumps == jumps else { return false }
            if isThere { state.ring.publish(Int64(frames)) } else { state.isMapBroken = true }
            return state.takeWaiting()
        }
        if isPlayerWoken { bells?.player.wake() }
        return .done
    }

    private func read(_ room: MediaRing.Room, at position: Int64) -> Result<Int, DeviceError> {
        let to = address(room.slot)
        if let from = room.copyFrom {
            to.copyMemory(from: address(from), byteCount: room.frames * frameBytes)
            return .success(room.frames)
        }
        do throws(DeviceError) {
            if sourcePosition != position {
                // Unknown until it has come through.
                sourcePosition = -1
                try source.seek(to: position)
                sourcePosition = position
            }
            let came = try source.read(into: to, frames: room.frames)
            sourcePosition += Int64(max(0, came))
            return .success(came)
        } catch {
            sourcePosition = -1
            return .failure(error)
        }
    }

    /// When a source that has nothing yet is asked again. (One that knows better waits in its own call.)
    static let askAgain = Duration.milliseconds(10)

    /// The thread's life: reads ahead until it is closed.
    ///
    /// In small pieces while the player has little, so that it can begin; then in large ones, once or twice a second.
    func run(_ bells: Bells) {
        let rate = Int64(source.info.rate)
        let small = max(256, rate / 100)
        var wait = WaitSet()
        while !state.withLock({ $0.isClosed }) {
            wait.removeAll()
            wait.add(bells.reader.descriptor)
            let isMapped = isMapped
            let step = { (ring: borrowing MediaRing) -> Int64 in
                let (ahead, large) = (ring.end - ring.place, max(small, ring.wakeFree))
                // What is mapped is so by pages; and never more at a time than what plays meanwhile.
                guard !isMapped else {
                    // Before anything was taken no more than it takes to begin: on one CPU the rest would delay the start.
                    if ring.place == 0, ahead >= max(ring.kept, rate / 2) { return 0 }
                    return min(max(ahead, rate / 10), large)
                }
                return ahead < rate / 5 ? small : large
            }
            switch fill(step) {
            case .done: continue
            case .nothingToDo: break
            case .nothingYet: wait.wake(at: .now + Self.askAgain)
            }
            _ = wait.waitForEvents(SystemClock(), waking: bells.reader)
            _ = bells.reader.take()
        }
    }
}
