import Glibc
import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstageStore

@Suite struct PositionStoreTests {
    let scratch = Scratch()
    let heard = Heard()

    @Test func aPositionOutlivesTheStore() async {
        let before = MonotonicTime.now
        let first = PositionStore(scratch, heard)
        let time = await first.stored(12_345)
        #expect(await first.closed())
        #expect(time.map { $0 >= before && $0 <= .now } == true)

        let second = PositionStore(scratch, heard)
        let stored = await withCheckedContinuation { continuation in
            second.position(for: .ramp, scene: "main") { continuation.resume(returning: $0) }
        }
        #expect(stored?.position == 12_345)
        #expect(stored?.rate == 48_000)
        #expect(stored?.frames == 1_000_000)
        #expect(stored.map { $0.updated > 1_600_000_000_000_000_000 } == true)
        #expect(stored?.boot.utf8.count == 36)
        await second.closed()
        #expect(heard.lines == [])
        #expect(scratch.names == [StoreFile.name], "a store that was closed leaves no journal")
    }

    @Test func eachMediaAndSceneHasItsOwn() async {
        let store = PositionStore(scratch, heard)
        await store.stored(1)
        let changed = MediaIdentity(name: MediaIdentity.ramp.name, size: MediaIdentity.ramp.size, changed: 5)
        await store.stored(2, changed)
        await store.stored(3, MediaIdentity(key: "radio"))
        #expect(await store.read() == 1)
        #expect(await store.read(changed) == 2)
        #expect(await store.read(MediaIdentity(key: "radio")) == 3)
        #expect(await store.read(scene: "other") == nil)
        await store.closed()
    }

    @Test func theNewestStandsAndEveryOneIsAnswered() async throws {
        let store = PositionStore(scratch, heard)
        let answers = Mutex<Int>(0)
        for position in 1...1_000 as ClosedRange<Int64> {
            store.record(position, rate: 8_000, frames: nil, for: .ramp, scene: "main") { time in
                #expect(time != nil)
                answers.withLock { $0 += 1 }
            }
        }
        #expect(await store.closed())
        #expect(answers.withLock { $0 } == 1_000)
        let rows = try connection(scratch.file).query("SELECT position FROM position")
        #expect(rows == [[.integer(1_000)]])
    }

    @Test func aRecordedPositionIsReadBeforeItIsOnTheDisk() async {
        let store = PositionStore(directory: nil, log: { _ in })
        store.record(77, rate: 8_000, frames: nil, for: .ramp, scene: "main")
        #expect(await store.read() == 77)
        #expect(await !store.closed())
    }

    @Test func aSeekBackwardsIsStoredToo() async {
        let store = PositionStore(scratch, heard)
        await store.stored(900)
        await store.stored(100)
        await store.closed()
        #expect(await PositionStore(scratch, heard).read() == 100)
    }

    @Test func afterTheCloseEverythingIsAnsweredWithNothing() async {
        let store = PositionStore(scratch, heard)
        await store.closed()
        #expect(await store.stored(1) == nil)
        #expect(await store.read() == nil)
        #expect(store.flush() == false)
        #expect(store.close() == false)
    }

    @Test func aReaderNeverSeesAPositionGoBack() async throws {
        let store = PositionStore(scratch, heard)
        await store.stored(0)
        let reader = try connection(scratch.file)
        var last: Int64 = 0
        for position in 1...300 as ClosedRange<Int64> {
            store.record(position, rate: 8_000, frames: nil, for: .ramp, scene: "main")
            guard case .integer(let seen)? = try reader.query("SELECT position FROM position").first?.first else {
                Issue.record("no row")
                break
            }
            #expect(seen >= last && seen <= position)
            last = seen
        }
        await store.closed()
        #expect(try reader.query("SELECT position FROM position") == [[.integer(300)]])
    }

    @Test("a position that is followed is written as it moves; what is recorded after its end stands")
    func follow() async throws {
        let store = PositionStore(scratch, heard)
        let asked = Turns()
        let follow = store.follow(
            rate: 48_000, frames: nil, for: .ramp, scene: "main", every: .milliseconds(5),
            position: { 1000 + Int64(asked.add()) })
        await asked.reach(5)
        await store.stored(1, MediaIdentity(key: "other"))
        let reader = try connection(scratch.file)
        let rows = try reader.query("SELECT position FROM position WHERE rate = 48000 AND frames IS NULL")
        guard case .integer(let kept)? = rows.first?.first else {
            Issue.record("nothing was written: \(rows)")
            return
        }
        #expect(kept >= 1005)
        follow.end()
        await store.stored(7)
        let last = asked.count
        // Another one as often: it would have had its turns too.
        let others = Turns()
        let other = store.follow(
            rate: 48_000, frames: nil, for: MediaIdentity(key: "other"), scene: "main", every: .milliseconds(5),
            position: { Int64(others.add()) })
        await others.reach(20)
        other.end()
        #expect(asked.count == last)
        #expect(await store.read() == 7)
        await store.closed()
        #expect(heard.lines == [])
    }

    @Test("a position that is followed and does not move costs the disk nothing") func followOfWhatStands() async throws
    {
        let store = PositionStore(scratch, heard)
        let first = Turns()
        let follow = store.follow(
            rate: 48_000, frames: nil, for: .ramp, scene: "main", every: .milliseconds(2),
            position: {
                first.add()
                return 4711
            })
        await first.reach(2)
        await store.closed()
        let other = PositionStore(scratch, heard)
        #expect(await other.read() == 4711)
        let asked = Turns()
        let again = other.follow(
            rate: 48_000, frames: nil, for: .ramp, scene: "main", every: .milliseconds(2),
            position: {
                asked.add()
                return 4711
            })
        await asked.reach(2)
        let log = bytes(scratch.file + "-wal").count
        await asked.reach(asked.count + 5)
        #expect(bytes(scratch.file + "-wal").count == log)
        follow.end()
        again.end()
        await other.closed()
    }

    @Test func anUnusedStoreMakesNothing() {
        do { _ = PositionStore(scratch, heard) }
        #expect(scratch.names == [])
    }

    @Test func nothingGrowsOverManyStores() async {
        let before = Scratch.names("/proc/self/fd").filter(isOfSQLite)
        for position in 0..<50 as Range<Int64> {
            let store = PositionStore(scratch, heard)
            await store.stored(position)
            await store.closed()
        }
        #expect(Scratch.names("/proc/self/fd").filter(isOfSQLite) == before)
        #expect(heard.lines == [])
    }

    private func isOfSQLite(_ number: String) -> Bool {
        var target = [CChar](repeating: 0, count: 512)
        let count = readlink("/proc/self/fd/" + number, &target, 511)
        return count > 0
            && String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self).hasPrefix(
                scratch.path)
    }

    @Test func twoProcessesShareOneStore() async throws {
        let (first, second) = (PositionStore(scratch, heard), PositionStore(scratch, heard))
        let other = MediaIdentity(key: "other")
        for position in 1...50 as ClosedRange<Int64> {
            async let one = first.stored(position)
            async let two = second.stored(position * 2, other)
            let times = await [one, two]
            #expect(!times.contains(nil))
        }
        await first.closed()
        await second.closed()
        let third = PositionStore(scratch, heard)
        #expect(await third.read() == 50)
        #expect(await third.read(other) == 100)
        #expect(heard.lines == [])
    }

    @Test func aLockOfAnotherProcessHoldsUpOnlyTheStoresThread() async throws {
        let store = PositionStore(scratch, heard)
        await store.stored(1)
        let holder = try connection(scratch.file)
        try holder.execute("BEGIN IMMEDIATE")
        let stored = Mutex<MonotonicTime?>(nil)
        let called = MonotonicTime.now
        store.record(2, rate: 8_000, frames: nil, for: .ramp, scene: "main") { time in stored.withLock { $0 = time } }
        #expect(MonotonicTime.now - called < .milliseconds(100))
        #expect(stored.withLock { $0 } == nil)
        try holder.execute("COMMIT")
        #expect(await store.closed())
        #expect(stored.withLock { $0 } != nil)
    }

    @Test(
        arguments: [
            (["STATE_DIRECTORY": "/var/lib/onstage", "HOME": "/root"], "/var/lib/onstage"),
            (["STATE_DIRECTORY": "/var/lib/a:/var/lib/b"], "/var/lib/a"),
            (["STATE_DIRECTORY": "", "XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/onstage"),
            (["STATE_DIRECTORY": "here", "XDG_STATE_HOME": "there", "HOME": "/h"], "/h/.local/state/onstage"),
            (["HOME": "/h"], "/h/.local/state/onstage"),
            (["HOME": ""], nil),
            ([:], nil),
        ] as [([String: String], String?)])
    func theDirectoryComesFromTheEnvironment(environment: [String: String], path: String?) {
        #expect(StateDirectory.standard(environment: environment) == path)
    }

    @Test func theDirectoryIsItsOwnersAlone() async {
        let deep = scratch.path + "/state/onstage"
        let store = PositionStore(directory: deep, log: { _ in })
        #expect(await store.stored(1) != nil)
        var status = stat()
        for path in [deep, scratch.path + "/state"] {
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
        }
        await store.closed()
    }

    @Test func aFileIsKnownByWhatItIs() throws {
        put([1, 2, 3], scratch.path + "/a.wav")
        #expect(symlink(scratch.path + "/a.wav", scratch.path + "/link.wav") == 0)
        let media = try MediaIdentity(file: scratch.path + "/a.wav")
        #expect(try MediaIdentity(file: scratch.path + "/./link.wav") == media)
        put([1, 2, 4, 5], scratch.path + "/a.wav")
        #expect(try MediaIdentity(file: scratch.path + "/a.wav") != media)
        let error = #expect(throws: DeviceError.self) { try MediaIdentity(file: "/nowhere.wav") }
        #expect(error?.kind == .absent)
    }

    /// A store that was made where no memory can be shared keeps its kind of journal, and is as good.
    @Test func aStoreWithARollbackJournalStaysOne() async throws {
        let store = PositionStore(scratch, heard)
        await store.stored(1)
        await store.closed()
        #expect(try connection(scratch.file).query("PRAGMA journal_mode = DELETE") == [[.text("delete")]])
        let (one, two) = (PositionStore(scratch, heard), PositionStore(scratch, heard))
        #expect(await one.stored(2) != nil)
        #expect(await two.stored(3, MediaIdentity(key: "other")) != nil)
        await one.closed()
        await two.closed()
        #expect(try connection(scratch.file).query("PRAGMA journal_mode") == [[.text("delete")]])
        #expect(await PositionStore(scratch, heard).read() == 2)
        #expect(heard.lines == [])
    }
}
