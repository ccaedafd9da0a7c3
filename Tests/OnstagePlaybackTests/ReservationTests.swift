import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstagePlayback

/// A player on a card that is a lock on a file, with a bus.
private final class ReservedRig {
    let clock = StillClock()
    let room = FakeOutput.Room()
    let driver: PlaybackDriver
    var run: DriverRun
    private let mail: Mailbox<DriverReport>

    init(_ session: CardSession, _ change: (inout PlaybackConfiguration) -> Void = { _ in }) throws {
        var configuration = PlaybackConfiguration()
        change(&configuration)
        let mail = try Mailbox<DriverReport>()
        self.mail = mail
        let fake = FakeOutput.backend(FakeOutput.Make(), clock, room)
        let path = session.lock
        nonisolated(unsafe) let room = room  // one thread runs a test
        var backend = OutputBackend(
            resolve: fake.resolve,
            open: { device, request, cancellation throws(DeviceError) in
                let file = clinux_open(path, O_RDWR)
                guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                    _ = clinux_close(file)
                    throw DeviceError(errno: Errno.EBUSY, operation: "snd_pcm_open", device: device.identity)
                }
                room.onClose = {
                    // A card that takes its time: whoever is told before it is closed finds it busy.
                    _ = clinux_poll(nil, 0, Duration.milliseconds(50).wholeNanoseconds)
                    letGo(file)
                }
                return try fake.open(device, request, cancellation)
            },
            card: { _ in 7 })
        backend.busAddress = session.address
        driver = PlaybackDriver(
            configuration: configuration, media: RampSource(frames: 1_000_000), clock: clock, backend: backend,
            report: { mail.send($0) })
        run = DriverRun(driver, still: clock)
    }

    /// The error of an acquire; nil where it went well.
    func refusal(_ cancellation: any CancellationSource = NoCancellation()) -> DeviceError? {
        do throws(DeviceError) {
            _ = try driver.acquire(try driver.resolve(), cancellation)
            return nil
        } catch {
            return error
        }
    }

    /// Waits until a report fits.
    func awaitReport(_ fits: (DriverReport) -> Bool) -> Bool {
        let limit = MonotonicTime.now + .seconds(30)
        while MonotonicTime.now < limit {
            if mail.take().contains(where: fits) { return true }
            var wait = WaitSet()
            wait.add(mail.descriptor)
            wait.wake(at: limit)
            _ = wait.waitForEvents(SystemClock(), waking: mail)
        }
        return false
    }

    /// Plays until another program has asked for the card; what the driver ends with.
    func playUntilClaimed() -> DeviceError? {
        let limit = MonotonicTime.now + .seconds(30)
        do throws(DeviceError) {
            while MonotonicTime.now < limit { try run.play(for: .milliseconds(10)) }
            return nil
        } catch {
            return error
        }
    }
}

/// Called off by another program's word: it is asked, and does not answer.
private final class CalledOffWhenAsked: CancellationSource {
    private let pipe: Int32
    private let isOff = Atomic(false)

    init(_ holder: LineProgram) throws {
        var ends: [Int32] = [-1, -1]
        guard clinux_pipe(&ends, 0) == 0 else { throw DeviceError(.tooMany, operation: "pipe", device: "") }
        pipe = ends[0]
        nonisolated(unsafe) let holder = holder  // nobody else listens to it meanwhile
        let write = ends[1]
        try PosixThread.start("calls off") { [self] in
            _ = holder.line()
            isOff.store(true, ordering: .releasing)
            _ = clinux_write(write, [1], 1)
            _ = clinux_close(write)
        }
    }

    deinit { _ = clinux_close(pipe) }
    var isCancelled: Bool { isOff.load(ordering: .acquiring) }
    var wakeDescriptor: Int32 { pipe }
}

@Suite("Real C: a card that another program has reserved", .enabled(if: CardSession.isPossible))
struct ReservationTests {
    private let session: CardSession

    init() throws { session = try CardSession() }

    @Test("its owner is asked, lets go, and has it back at each pause; every frame is heard once")
    func letsGo() throws {
        let holder = try session.holder("--again")
        let rig = try ReservedRig(session)
        for turn in 0..<3 {
            let acquired = try rig.run.acquire()
            let note = "asked python3 (pid \(holder.pid)) for Audio7: it let go in "
            #expect(acquired.notes.contains { $0.hasPrefix(note) && $0.hasSuffix(" ms") }, "\(acquired.notes)")
            #expect(holder.line() == "asked 10")
            #expect(holder.line() == "lost")
            try rig.run.play(for: .milliseconds(300))
            let detail = rig.run.release()
            // The card is ours no more when they are told: they have it at once.
            #expect(holder.line() == "free")
            #expect(holder.line() == "has locked", "turn \(turn)")
            #expect(detail.off == 0)
        }
        #expect(rig.room.firstFault() == nil)
        #expect(rig.room.heard.count > 40_000)
    }

    @Test("an owner that refuses is named, and not asked again at each try; the device is waited for")
    func refuses() throws {
        let holder = try session.holder("--answer", "no")
        let rig = try ReservedRig(session)
        for _ in 0..<3 {
            let error = rig.refusal()
            #expect(error?.kind == .inUse)
            #expect(error?.reason == "asked python3 (pid \(holder.pid)) for Audio7: it refused")
        }
        #expect(holder.line() == "asked 10")
        holder.tell("drop")
        #expect(holder.line() == "dropped")
        #expect(rig.awaitReport { if case .available = $0 { true } else { false } }, "it is told that nobody has it")
        #expect(rig.refusal() == nil)
        _ = rig.run.release()
    }

    @Test("an owner that never answers is an error that names it")
    func neverAnswers() throws {
        let holder = try session.holder("--answer", "never")
        let rig = try ReservedRig(session)
        let error = rig.refusal()
        #expect(error?.kind == .inUse)
        #expect(
            error?.reason == "asked python3 (pid \(holder.pid)) for Audio7: it has not answered within 3 s")
        #expect(error?.isRecoverable == true)
    }

    @Test("a pause while the answer is awaited calls it off, and nothing is reserved")
    func calledOff() throws {
        let holder = try session.holder("--answer", "never")
        let rig = try ReservedRig(session)
        #expect(rig.refusal(try CalledOffWhenAsked(holder))?.kind == .cancelled)
        #expect(rig.room.openings == 0)
        // The name has not been taken behind our back.
        holder.tell("drop")
        #expect(holder.line() == "dropped")
        _ = try session.holder()
    }

    @Test("an owner that dies while it is asked has let go")
    func dies() throws {
        let holder = try session.holder("--answer", "die")
        let rig = try ReservedRig(session)
        let acquired = try rig.run.acquire()
        #expect(acquired.notes.contains { $0.hasSuffix("for Audio7: it ended") }, "\(acquired.notes)")
        #expect(holder.line() == "asked 10")
        _ = rig.run.release()
    }

    @Test("an owner that says yes before it has let go is waited for")
    func closesLate() throws {
        let holder = try session.holder("--answer", "closing")
        let rig = try ReservedRig(session)
        #expect(rig.refusal() == nil)
        #expect(holder.line() == "asked 10")
        _ = rig.run.release()
    }

    @Test("a card that is busy and that nobody answers for is left alone")
    func nobody() throws {
        let holder = try session.holder()
        let other = try session.holder("--idle")
        let rig = try ReservedRig(session)
        // Has the card, and not the name.
        holder.end()
        #expect(other.line() == "free")
        let file = clinux_open(session.lock, O_RDWR)
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        let error = rig.refusal()
        #expect(error?.kind == .inUse)
        #expect(error?.reason == nil)
        other.tell("replace")
        #expect(other.line() == "has busy", "the name is free")
        letGo(file)
    }

    @Test("somebody worth more has it, closed before they are told; it comes back when they are done")
    func outranked() throws {
        let holder = try session.holder()
        let rig = try ReservedRig(session)
        #expect(rig.refusal() == nil)
        _ = holder.line()
        let other = try session.holder("--idle")
        for (priority, expected) in [(9, "answer False"), (10, "answer False")] {
            other.tell("ask \(priority)")
            #expect(other.line()?.hasPrefix(expected) == true)
        }
        other.tell("get")
        #expect(other.line()?.hasPrefix("properties 10 10 ") == true)
        other.tell("ask 11")
        let claim = rig.playUntilClaimed()
        #expect(claim?.kind == .inUse)
        #expect(claim?.holders == [DeviceHolder(pid: other.pid, program: "python3")])
        #expect(claim?.reason == "it asked for Audio7 with priority 11, and ours is 10")
        let before = rig.run.release(hurried: true)
        // As soon as it was said, it was free.
        let answer = other.line() ?? ""
        #expect(answer.hasPrefix("answer True ") && answer.hasSuffix(" locked"), "\(answer)")
        let openings = rig.room.openings
        #expect(rig.refusal() == claim)
        #expect(rig.room.openings == openings, "opened while it was somebody else's")
        other.tell("drop")
        #expect(other.line() == "dropped")
        #expect(rig.awaitReport { if case .available = $0 { true } else { false } })
        #expect(rig.refusal() == nil)
        try rig.run.play(for: .milliseconds(100))
        _ = rig.run.release()
        #expect(rig.room.firstFault() == nil)
        #expect(before.position != nil)
    }

    @Test("one that asks and does not come for it gets two seconds")
    func neverComes() throws {
        let holder = try session.holder()
        let rig = try ReservedRig(session)
        #expect(rig.refusal() == nil)
        _ = holder.line()
        let other = try session.holder("--idle")
        other.tell("only-ask 11")
        #expect(rig.playUntilClaimed() != nil)
        _ = rig.run.release()
        #expect(other.line() == "answer True")
        #expect(rig.refusal()?.kind == .inUse)
        #expect(rig.awaitReport { if case .available = $0 { true } else { false } })
        #expect(rig.refusal() == nil)
        _ = rig.run.release()
    }

    @Test("taken without asking: it is given up at once")
    func taken() throws {
        let holder = try session.holder()
        let rig = try ReservedRig(session)
        #expect(rig.refusal() == nil)
        _ = holder.line()
        let other = try session.holder("--idle")
        other.tell("replace")
        #expect(other.line() == "has busy")
        let claim = rig.playUntilClaimed()
        #expect(claim?.reason == "it took Audio7 without asking")
        #expect(claim?.holders.first?.pid == other.pid)
        _ = rig.run.release()
        other.tell("drop")
        #expect(rig.awaitReport { if case .available = $0 { true } else { false } })
    }

    @Test("the bus's end takes nothing away, and is no end of waiting")
    func busEnds() throws {
        let holder = try session.holder()
        let rig = try ReservedRig(session)
        #expect(rig.refusal() == nil)
        _ = holder.line()
        session.endBus()
        try rig.run.play(for: .milliseconds(200))
        _ = rig.run.release()
        let file = clinux_open(session.lock, O_RDWR)
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        let error = rig.refusal()
        #expect(error?.kind == .inUse)
        #expect(error?.reason?.contains("session bus") == true, "\(String(describing: error))")
        letGo(file)
        #expect(rig.refusal() == nil)
        _ = rig.run.release()
        #expect(rig.room.firstFault() == nil)
    }

    @Test("a bus that hears nobody holds up nothing for longer than some seconds")
    func deafBus() throws {
        let rig = try ReservedRig(session)
        let file = clinux_open(session.lock, O_RDWR)
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        session.stopBus()
        #expect(rig.refusal()?.reason == "its holder cannot be asked: the session bus does not answer")
        letGo(file)
        #expect(rig.refusal() == nil)
        _ = rig.run.release()
    }

    @Test("where a card is free, or it is not wished for, nothing is made of it")
    func untouched() throws {
        let free = try ReservedRig(session)
        #expect(free.refusal() == nil)
        _ = free.run.release()
        #expect(free.driver.reservation == nil)
        let holder = try session.holder()
        let without = try ReservedRig(session) { $0.reservesDevice = false }
        #expect(without.refusal()?.kind == .inUse)
        #expect(without.driver.reservation == nil)
        holder.tell("drop")
        #expect(holder.line() == "dropped", "it was asked")
    }
}

/// Closes a lock of ours. A child that another test is just making may have a copy of it: by closing alone it would be held until
/// that child's exec.
private func letGo(_ file: Int32) {
    _ = flock(file, LOCK_UN)
    _ = clinux_close(file)
}
