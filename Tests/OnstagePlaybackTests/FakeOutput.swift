import Glibc
import OnstageCore
import OnstageLinux

@testable import OnstagePlayback

/// A sound card in memory, driven by a clock that stands still; a model of what a listener hears, with faults.
final class FakeOutput: PCMOutput {
    var facts: OutputFacts
    let make: Make
    private let clock: StillClock
    private let room: Room
    private var ring: [Int32]
    private(set) var state = PCMState.prepared
    private(set) var written: Int64 = 0
    private var pointer: Int64 = 0
    /// The pointer at the last look.
    private var seen: Int64 = 0
    private var underWay: [Int32] = []
    private var listened = 0
    private var started = MonotonicTime(nanoseconds: 0)
    private var stopped: MonotonicTime?
    private(set) var isClosed = false
    private var fill: Int64 = 0

    init(_ make: Make, _ request: OutputRequest, _ clock: StillClock, _ room: Room) {
        self.make = make
        self.clock = clock
        self.room = room
        ring = Array(repeating: 0, count: make.buffer)
        var facts = OutputFacts(
            name: "fake", format: .s32, rate: request.rate, channels: make.channels ?? request.channels,
            periodFrames: make.period,
            bufferFrames: make.buffer, isPlain: make.isPlain, isBatch: make.isBatch, guardFrames: make.guardFrames)
        if let channels = make.channels { facts.layout = .device(channels) }
        facts.isMixed = make.mixer != nil
        (facts.guardKey, facts.guardOrigin) = (make.guardKey, make.guardOrigin)
        facts.takeLearned()
        facts.canHold = make.canHold
        facts.stepFrames = make.isBatch ? make.grain : 0
        facts.isLent = make.isLent
        self.facts = facts
        room.openings += 1
        room.open += 1
        room.last = self
    }

    static func backend(_ make: Make, _ clock: StillClock, _ room: Room) -> OutputBackend {
        nonisolated(unsafe) let room = room  // one thread runs a test
        return OutputBackend(
            resolve: { _ throws(DeviceError) in ResolvedDevice(key: nil, identity: "fake", node: "fake") },
            open: { _, request, _ throws(DeviceError) in FakeOutput(make, request, clock, room) },
            jacks: { _, _ throws(DeviceError) in try make.jacks() })
    }

    private func advance() {
        clock.advance(by: room.slowness())
        guard state == .running else { return }
        let elapsed = (clock.now - started).wholeNanoseconds
        let rate = Int64(facts.rate)
        var to = elapsed / 1_000_000_000 * rate + elapsed % 1_000_000_000 * rate / 1_000_000_000
        to += to * make.fastness / 1000 + Int64(make.queue)
        if !make.isPointerLate { to -= to % Int64(make.grain) }
        // Of an empty ring nothing can be handed over.
        if make.queue > 0, written == pointer { runDry() }
        // A plain card plays on in its ring until it is stopped at the next look: what was taken back by a rewind too.
        if told(to) >= written, to > pointer {
            to = make.isPlain && make.queue == 0 ? min(to, pointer + Int64(make.buffer)) : written
            runDry()
        }
        hand(to: max(pointer, to))
    }

    /// What of a place in the stream the pointer tells.
    private func told(_ place: Int64) -> Int64 {
        make.isPointerLate ? place - place % Int64(make.grain) : place
    }

    private func runDry() {
        state = .xrun
        guard make.queue > 0 else { return }
        let played = make.playsOut ? written : max(0, written - Int64(make.queue))
        stopped = started + .nanoseconds(played * 1_000_000_000 / Int64(facts.rate))
    }

    /// The pointer moves: what it passes is on its way, and heard after as many frames more as lie behind the pointer.
    private func hand(to end: Int64) {
        while pointer < end {
            let place = Int(pointer % Int64(make.buffer))
            underWay.append(ring[place])
            // The kernel silences what has been played, as it was asked to.
            ring[place] = 0
            pointer += 1
        }
        let isOut = state == .xrun && make.queue == 0
        let staying = isOut ? 0 : make.behind + (state == .xrun && make.playsOut ? 0 : make.queue)
        while underWay.count - listened > staying {
            if underWay[listened] != 0 { room.heard.append(underWay[listened]) }
            listened += 1
        }
        if listened > 10_000 {
            underWay.removeFirst(listened)
            listened = 0
        }
    }

    func available() -> Int {
        advance()
        if state == .xrun { return -Int(Errno.EPIPE) }
        if state == .disconnected { return -Int(Errno.ENODEV) }
        return make.buffer - Int(written - look())
    }

    /// The place that the kernel tells: of a card that a sleep has stopped that of the last look.
    private func look() -> Int64 {
        if state != .suspended { seen = told(pointer) }
        return seen
    }

    func status() -> Result<PCMStatus, PCMFault> {
        advance()
        if case .statusFails(let errno) = room.take({ if case .statusFails = $0 { true } else { false } }) {
            return .failure(PCMFault(errno: errno))
        }
        if case .state(let next) = room.take({ if case .state = $0 { true } else { false } }) { state = next }
        let fill = written - look()
        var status = PCMStatus(
            state: state, delay: state == .running ? fill + underWayTold : 0, available: Int64(make.buffer) - fill,
            triggered: state == .xrun || state == .suspended ? stopped : nil)
        if case .ahead(let frames) = room.take({ if case .ahead = $0 { true } else { false } }) {
            status.delay -= frames
            status.available += frames
        }
        if case .delay(let delay) = room.take({ if case .delay = $0 { true } else { false } }) { status.delay = delay }
        return .success(status)
    }

    private var underWayTold: Int64 {
        Int64(make.isBatch ? min(make.queue, underWay.count - listened) + make.rounding : make.behind)
    }

    func fillAtWrite() -> Int { Int(fill) }

    /// The machine stands still for as long as the ring lasts: the card plays it all, and its pointer knows nothing of it.
    func goRound() {
        advance()
        let time = Duration.nanoseconds(Int64(make.buffer) * 1_000_000_000 / Int64(facts.rate))
        clock.advance(by: time)
        started = started + time
        for place in pointer..<written where ring[Int(place % Int64(make.buffer))] != 0 {
            room.heard.append(ring[Int(place % Int64(make.buffer))])
        }
        // What comes again is not listened to.
        for index in ring.indices { ring[index] = 0 }
    }

    /// The card is pulled, and no call has said so yet.
    func pull() {
        advance()
        state = .disconnected
    }

    /// The system sleeps, and no call says so; the clock goes on for `time` while it falls asleep and wakes.
    ///
    /// - Parameter late: how long its transfers go on behind the stop that is told.
    func sleep(for time: Duration, late: Duration = .zero) {
        advance()
        let told = clock.now
        clock.advance(by: late)
        advance()
        fallAsleep()
        if stopped != nil { stopped = told }
        clock.advance(by: time)
    }

    private func fallAsleep() {
        guard state == .running else { return }
        (state, stopped) = (.suspended, make.isPlain ? clock.now : nil)
    }

    /// Where a mixer's card is by now.
    private var card: Int64 {
        let elapsed = (clock.now - started).wholeNanoseconds
        return elapsed / 1000 * Int64(facts.rate) / 1_000_000
    }

    func write(_ samples: UnsafeRawPointer, frames: Int) -> Int {
        let room = available()
        if state == .suspended { return -Int(Errno.ESTRPIPE) }
        if case .refuse(let errno) = self.room.take({ if case .refuse = $0 { true } else { false } }) {
            if errno == Errno.EPIPE {
                state = .xrun
                hand(to: written)
            }
            if errno == Errno.ESTRPIPE { fallAsleep() }
            if errno == Errno.ENODEV { state = .disconnected }
            return -Int(errno)
        }
        guard room > 0 else { return room == 0 ? -Int(Errno.EAGAIN) : room }
        var count = min(frames, room)
        if case .shortWrite(let most) = self.room.take({ if case .shortWrite = $0 { true } else { false } }) {
            count = min(count, most)
        }
        if make.mixer != nil, state == .running {
            clock.advance(by: self.room.slowness())
            if card > written {
                hand(to: written)
                if card >= written + Int64(count) {
                    state = .xrun
                    return -Int(Errno.EPIPE)
                }
                for index in 0..<count { ring[Int((written + Int64(index)) % Int64(make.buffer))] = 0 }
                written += Int64(count)
                fill = written - card
                return count
            }
            fill = written + Int64(count) - card
        }
        let width = facts.channels
        let handed = UnsafeBufferPointer(start: samples.assumingMemoryBound(to: Int32.self), count: count * width)
        guard let from = make.isLent ? kernelCopy(samples, count * width) : Array(handed) else {
            return -Int(Errno.EFAULT)
        }
        for index in 0..<count {
            let frame = from[index * width..<(index + 1) * width]
            ring[Int((written + Int64(index)) % Int64(make.buffer))] = from[index * width]
            guard width > 1 else { continue }
            let isAstray = from[index * width + 1] != from[index * width] || frame.dropFirst(2).contains { $0 != 0 }
            if isAstray { self.room.astray += 1 }
        }
        written += Int64(count)
        return count
    }

    /// What the kernel reads there, nil for its EFAULT: a page that is gone is no signal.
    private func kernelCopy(_ samples: UnsafeRawPointer, _ count: Int) -> [Int32]? {
        var ends: (Int32, Int32) = (-1, -1)
        guard
            withUnsafeMutablePointer(to: &ends, { $0.withMemoryRebound(to: Int32.self, capacity: 2) { pipe($0) } }) == 0
        else { return nil }
        defer {
            _ = Glibc.close(ends.0)
            _ = Glibc.close(ends.1)
        }
        var copy = [Int32](repeating: 0, count: count)
        var at = 0
        while at < count * 4 {
            let piece = min(count * 4 - at, 32_768)
            guard Glibc.write(ends.1, samples + at, piece) == piece else { return nil }
            copy.withUnsafeMutableBytes { _ = Glibc.read(ends.0, $0.baseAddress.map { $0 + at }, piece) }
            at += piece
        }
        return copy
    }

    func rewind(_ frames: Int) -> Int {
        advance()
        room.rewinds.append(frames)
        guard state == .running else { return -Int(Errno.EPIPE) }
        let count = min(Int64(frames), written - told(pointer))
        // Plug-ins say that they took it back, and play it all the same.
        if !make.isPlain { return Int(count) }
        written -= count
        return Int(count)
    }

    func hold() -> Int {
        guard make.canHold else { return -Int(Errno.ENOSYS) }
        advance()
        guard state == .running else { return state == .xrun ? -Int(Errno.EPIPE) : -Int(Errno.EBADFD) }
        state = .paused
        return Int(written - pointer) + (make.isBatch ? 0 : make.behind)
    }

    func prepareStream() -> Int32 {
        guard state != .disconnected else { return -Errno.ENODEV }
        if case .prepare(let errno) = room.take({ if case .prepare = $0 { true } else { false } }) { return -errno }
        (state, written, pointer, underWay, listened) = (.prepared, 0, 0, [], 0)
        (seen, stopped) = (0, nil)
        return 0
    }

    func start() -> Int32 {
        guard state == .prepared else { return -Errno.EBADFD }
        if case .start(let errno) = room.take({ if case .start = $0 { true } else { false } }) { return -errno }
        state = .running
        started = clock.now
        if let before = make.mixer {
            started = clock.now - .nanoseconds(Int64(before) * 1_000_000_000 / Int64(facts.rate))
            // Between its look at the pointer and its mixing, the card runs on.
            clock.advance(by: room.slowness())
            for place in 0..<min(card, written, Int64(make.buffer)) { ring[Int(place)] = 0 }
        }
        return 0
    }

    func drop() -> Int32 {
        advance()
        if state != .disconnected { state = .setup }
        return 0
    }

    func close() {
        precondition(!isClosed, "closed twice")
        isClosed = true
        room.open -= 1
        room.onClose()
    }

    func prepare(_ wait: inout WaitSet, now: MonotonicTime) {
        let target = max(0, written - Int64(make.buffer - make.period + make.queue))
        wait.wake(at: started + .nanoseconds((target + Int64(make.grain)) * 1_000_000_000 / Int64(facts.rate)))
    }

    var keepsWait: Bool { make.isPlain }
    func isReady(_ wait: borrowing WaitSet) -> Bool {
        advance()
        return state != .running || make.buffer - Int(written - pointer) >= make.period
    }
    var deviceDescriptor: Int32? { nil }
    func takeTrouble() -> DeviceError? { nil }
}
