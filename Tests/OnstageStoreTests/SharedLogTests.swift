import Glibc
import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstageStore

/// A journal keeps a read open from one entry to the next: others wait for it no longer than for one entry, and it for them.
@Suite struct SharedLogTests {
    let scratch = Scratch()
    let heard = Heard()
    let key = PositionTable.Key(media: .ramp, scene: "main")
    let other = PositionTable.Key(media: MediaIdentity(key: "other"), scene: "main")

    private var file: StoreFile {
        StoreFile(directory: scratch.path, schema: .current, log: { [heard] in heard.take($0) })
    }

    private func position(_ position: Int64) -> StoredPosition {
        StoredPosition(position: position, rate: 48_000, frames: nil, updated: position, boot: "a")
    }

    /// Whether the log could begin anew at this moment; answered by a connection of a stranger, which waits for nobody.
    private static func canBeginAnew(_ path: String) -> Bool {
        // SQLITE_OPEN_READWRITE
        guard let stranger = try? SQLiteConnection(path: path, flags: 2, busy: 0),
            let row = try? stranger.query("PRAGMA wal_checkpoint(TRUNCATE)").first
        else { return false }
        return row.first == .integer(0)
    }

    // MARK: What is waited for

    @Test("an entry waits for another process's that is being written, also with a read kept open") func commit() throws
    {
        let table = PositionTable(file: file)
        for number in 1...2 as ClosedRange<Int64> {
            table.remember(position(number), key)
            #expect(table.save(goesOn: true))
        }
        #expect(!Self.canBeginAnew(scratch.file), "nothing is kept open")
        let progress = Progress()
        let (path, theirs, me) = (scratch.file, position(70), PosixThread.currentID)
        try PosixThread.start("stranger") { [other] in
            defer { progress.step(.committed) }
            do {
                let stranger = try connection(path)
                try stranger.transaction { () throws(SQLiteError) in
                    try PositionWriter(stranger).write(theirs, other)
                    progress.step(.begun)
                    progress.until(.saving)
                    // Until the entry waits (in SQLite's sleep), or has been answered.
                    while progress.now == .saving, !isAsleep(me) { sched_yield() }
                }
            } catch {
                Issue.record("\(error)")
            }
        }
        progress.until(.begun)
        table.remember(position(3), key)
        progress.step(.saving)
        #expect(table.save(goesOn: true))
        progress.step(.answered)
        progress.until(.committed)
        table.remember(position(4), key)
        #expect(table.save(goesOn: true))
        table.close()
        #expect(heard.lines == [])
        let rows = try connection(scratch.file).query("SELECT position FROM position")
        #expect(Set(rows) == [[.integer(4)], [.integer(70)]])
    }

    /// How far the two of ``commit()`` are.
    private final class Progress: Sendable {
        enum Step: Int { case none, begun, saving, answered, committed }

        private let step = Mutex(Step.none)

        var now: Step { step.withLock { $0 } }

        func step(_ next: Step) {
            step.withLock { if $0.rawValue < next.rawValue { $0 = next } }
        }

        func until(_ wanted: Step) {
            while now.rawValue < wanted.rawValue { sched_yield() }
        }
    }

    // MARK: How long others wait

    @Test("what does not move, or is followed no more, holds nothing") func standing() async throws {
        let worker = StoreWorker(file: file)
        let (turns, gone) = (Turns(), Turns())
        let answers = Mutex<[Int: Bool]>([:])
        let path = scratch.file
        // Asked on the store's thread, so between two entries: it stands at 5, and goes on at 8.
        var follow: PositionFollow? = followed(worker, gone) {
            let turn = turns.add()
            answers.withLock { $0[turn] = Self.canBeginAnew(path) }
            return Int64((5...7).contains(turn) ? 5 : turn)
        }
        await turns.reach(12)
        follow?.end()
        follow = nil
        await gone.reach(1)
        await worker.turn(key)
        #expect(Self.canBeginAnew(path), "nothing is followed any more")
        let seen = answers.withLock { answers in (2...11).map { answers[$0] } }
        #expect(seen == [false, false, false, false, false, true, true, false, false, false])
        await worker.closed()
        #expect(heard.lines == [])
    }

    @Test("nothing is held for what comes much later") func seldom() async throws {
        let worker = StoreWorker(file: file, soon: .milliseconds(4))
        let (turns, gone) = (Turns(), Turns())
        let answers = Mutex<[Bool]>([])
        let path = scratch.file
        let follow = followed(worker, gone) {
            let turn = turns.add()
            if turn > 1 { answers.withLock { $0.append(Self.canBeginAnew(path)) } }
            return Int64(turn)
        }
        await turns.reach(6)
        follow.end()
        await worker.closed()
        let seen = answers.withLock { $0 }
        #expect(seen.count >= 4 && !seen.contains(false))
        #expect(heard.lines == [])
    }

    @Test("a flush ends what is held, also with nothing to write") func flush() throws {
        let table = PositionTable(file: file)
        table.remember(position(1), key)
        #expect(table.save(goesOn: true))
        #expect(!Self.canBeginAnew(scratch.file))
        #expect(table.save())
        #expect(Self.canBeginAnew(scratch.file))
        table.close()
    }

    @Test("three that take turns do not keep the log from beginning anew") func turns() throws {
        var writers: [PositionWriter] = []
        for _ in 0..<3 {
            let connection = try file.open().0
            try connection.execute("PRAGMA synchronous = OFF")  // it is about lengths
            writers.append(try PositionWriter(connection))
        }
        for number in 1...2000 as ClosedRange<Int64> {
            for (index, writer) in writers.enumerated() {
                // The second begins one later: when the first ends its read, the second's is open.
                if number > 1 || index != 1 { writer.keepReading() }
                try writer.write(position(3 * number + Int64(index)), key)
            }
        }
        var status = stat()
        #expect(stat(scratch.file + "-wal", &status) == 0)
        #expect(status.st_size < 3 * StoreFile.logPages * 1048, "of 6000 entries")
    }

    /// A position that the worker asks for every 5 ms; `gone` has a turn when it never will again.
    private func followed(_ worker: StoreWorker, _ gone: Turns, _ position: @escaping @Sendable () -> Int64)
        -> PositionFollow
    {
        let life = Life(gone)
        let follow = PositionFollow(key, rate: 48_000, frames: nil, every: .milliseconds(5)) {
            withExtendedLifetime(life) { position() }
        }
        worker.post { $0.follows.append(follow) }
        return follow
    }

    private final class Life: Sendable {
        private let gone: Turns
        init(_ gone: Turns) { self.gone = gone }
        deinit { gone.add() }
    }
}

extension StoreWorker {
    /// Until it has done what it was at.
    fileprivate func turn(_ key: PositionTable.Key) async {
        _ = await withCheckedContinuation { continuation in
            post { $0.reads.append(Read(key: key, frames: nil) { continuation.resume(returning: $0) }) }
        }
    }

    fileprivate func closed() async {
        await withCheckedContinuation { continuation in
            post {
                $0.flushes.append { _ in continuation.resume() }
                $0.isClosing = true
            }
        }
    }
}

/// Whether a thread of this process sleeps.
private func isAsleep(_ thread: Int32) -> Bool {
    let line = SmallFile.line("/proc/self/task/\(thread)/stat") ?? ""
    return line.split(separator: ")").last?.hasPrefix(" S") == true
}
