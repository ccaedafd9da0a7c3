import Glibc
import OnstageCore
import Testing

@testable import OnstageStore

/// What a power cut, a full disk or a stranger leaves behind is never a crash and never a wrong position.
@Suite struct BrokenStoreTests {
    let scratch = Scratch()
    let heard = Heard()

    /// How a file is broken.
    enum Damage: String, CaseIterable {
        case zeros, noise, text, cutToHalf, cutInTheHeader, pagesOverwritten, rowsOutOfOrder, foreignDatabase, noTable,
            otherColumns
        case directory, fifo, linkToNowhere, linkToFull
    }

    @Test(arguments: Damage.allCases)
    func aBrokenFileIsMovedAside(damage: Damage) async throws {
        try await breakFile(damage)
        let store = PositionStore(scratch, heard)
        #expect(await store.read() == nil)
        #expect(heard.lines.count == 1, "\(heard.lines)")
        #expect(heard.lines.first?.contains("moved aside as positions.sqlite.broken-1") == true, "\(heard.lines)")
        #expect(await store.stored(42) != nil)
        await store.closed()
        #expect(await PositionStore(scratch, heard).read() == 42)
        #expect(heard.lines.count == 1)
        #expect(scratch.names.contains("positions.sqlite.broken-1"))
    }

    /// Whoever only looks mends nothing. (Rows out of order are found by going through all of it, which a look does not.)
    @Test(arguments: Damage.allCases.filter { $0 != .rowsOutOfOrder })
    func aBrokenFileThatIsLookedAtIsAnErrorAndStays(damage: Damage) async throws {
        try await breakFile(damage)
        let isFile = [.directory, .fifo, .linkToNowhere, .linkToFull].contains(damage) == false
        let before = isFile ? bytes(scratch.file) : []
        #expect {
            _ = try PositionCatalog(directory: scratch.path).entries()
        } throws: {
            ($0 as? DeviceError)?.kind == .configuration
        }
        #expect(scratch.names.allSatisfy { !$0.contains("broken") })
        if isFile { #expect(bytes(scratch.file) == before) }
    }

    private func breakFile(_ damage: Damage) async throws {
        let file = scratch.file
        switch damage {
        case .directory: #expect(mkdir(file, 0o700) == 0)
        case .fifo: #expect(mkfifo(file, 0o600) == 0)
        case .linkToNowhere: #expect(symlink("/nowhere/at/all", file) == 0)
        case .linkToFull: #expect(symlink("/dev/full", file) == 0)
        case .zeros: put([UInt8](repeating: 0, count: 4_096), file)
        case .noise:
            var state: UInt64 = 7
            let noise = (0..<20_000).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1
                return UInt8(state >> 56)
            }
            put(noise, file)
        case .text: put(Array("{\"position\": 12".utf8), file)
        case .foreignDatabase:
            try connection(file).execute("CREATE TABLE bookmark (url TEXT); INSERT INTO bookmark VALUES ('x')")
        case .noTable:
            try await good()
            try connection(file).execute("DROP TABLE position")
        case .otherColumns:
            try await good()
            try connection(file).execute("ALTER TABLE position RENAME rate TO speed")
        case .cutToHalf:
            try await good()
            put(Array(bytes(file).prefix(6_000)), file)
        case .cutInTheHeader:
            try await good()
            put(Array(bytes(file).prefix(50)), file)
        case .rowsOutOfOrder:
            try await good()
            var content = bytes(file)
            let name = Array("media 77".utf8)
            let place = content.indices.first { content[$0...].starts(with: name) }
            content[try #require(place)] = UInt8(ascii: "z")
            put(content, file)
        case .pagesOverwritten:
            try await good()
            var content = bytes(file)
            for index in 4_096..<content.count { content[index] = 0xA5 }
            put(content, file)
        }
    }

    /// A store of several pages.
    private func good() async throws {
        let store = PositionStore(scratch, heard)
        for number in 0..<200 { await store.stored(Int64(number), MediaIdentity(key: "media \(number)")) }
        await store.stored(7)
        #expect(await store.closed())
    }

    @Test func anEmptyFileIsBegunAnew() async {
        put([], scratch.file)
        let store = PositionStore(scratch, heard)
        #expect(await store.read() == nil)
        #expect(await store.stored(42) != nil)
        await store.closed()
        #expect(heard.lines.count == 1)
        #expect(scratch.names == [StoreFile.name])
    }

    @Test func onlyThreeBrokenOnesAreKept() async {
        for round in 1...6 {
            put(Array("round \(round)".utf8), scratch.file)
            let store = PositionStore(scratch, heard)
            #expect(await store.stored(Int64(round)) != nil)
            await store.closed()
        }
        let broken = scratch.names.filter { $0.contains("broken") }
        #expect(broken == (4...6).map { "positions.sqlite.broken-\($0)" })
    }

    @Test func aFileThatBreaksUnderUsIsMendedFromMemory() async throws {
        let store = PositionStore(scratch, heard)
        await store.stored(1, MediaIdentity(key: "other"))
        await store.stored(2)
        // Another process writes, so that what the store has cached is out of date; then the disk goes bad.
        do {
            let other = try connection(scratch.file)
            try other.execute("UPDATE position SET rate = 1")
            try other.query("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        put([UInt8](repeating: 0x5A, count: 20_000), scratch.file)
        await store.stored(3)
        await store.closed()
        let next = PositionStore(scratch, heard)
        #expect(await next.read() == 3)
        #expect(await next.read(MediaIdentity(key: "other")) == 1)
    }

    @Test func aFileThatIsRemovedUnderUsIsWrittenAnew() async {
        let store = PositionStore(scratch, heard)
        await store.stored(1, MediaIdentity(key: "other"))
        for name in scratch.names { _ = unlink(scratch.path + "/" + name) }
        rmdir(scratch.path)
        #expect(await store.stored(3) != nil)
        await store.closed()
        let next = PositionStore(scratch, heard)
        #expect(await next.read() == 3)
        #expect(await next.read(MediaIdentity(key: "other")) == 1)
        #expect(heard.lines == [])
    }

    @Test func aFileThatAnotherProcessMovedAsideIsLeftToIt() async throws {
        let store = PositionStore(scratch, heard)
        await store.stored(1)
        #expect(BrokenFile.moveAside(StoreFile.name, in: scratch.path) == "positions.sqlite.broken-1")
        let other = PositionStore(scratch, heard)
        await other.stored(5, MediaIdentity(key: "other"))
        // Still open here on the file that was moved; its close must not take the other's journal away.
        #expect(await store.stored(2) != nil)
        await store.closed()
        #expect(await other.read(MediaIdentity(key: "other")) == 5)
        await other.closed()
        let next = PositionStore(scratch, heard)
        #expect(await next.read() == 2)
        #expect(await next.read(MediaIdentity(key: "other")) == 5)
    }

    @Test(arguments: [
        ("-1", "negative"), ("9223372036854775807", "beyond"), ("1000001", "beyond"), ("'many'", "not a number"),
        ("1e300", "not a number"), ("x'00ff'", "not a number"),
    ])
    func aPositionThatCannotBeIsNotBelieved(value: String, word: String) async throws {
        let store = PositionStore(scratch, heard)
        await store.stored(5, frames: 1_000_000)
        await store.closed()
        try connection(scratch.file).execute("UPDATE position SET position = \(value)")
        let next = PositionStore(scratch, heard)
        #expect(await next.read() == nil)
        #expect(heard.lines.count == 1)
        #expect(heard.lines.first?.contains(word) == true, "\(heard.lines)")
        #expect(await next.stored(6) != nil)
        await next.closed()
    }

    @Test func aPositionBeyondTheMediaAsItIsNowIsNotBelieved() async {
        let store = PositionStore(scratch, heard)
        await store.stored(500)
        #expect(await store.read(frames: 499) == nil)
        #expect(await store.read(frames: 500) == 500)
        #expect(heard.lines.count == 1)
        await store.closed()
    }

    @Test func anOlderFileIsBroughtToTodaysVersion() async throws {
        let store = PositionStore(scratch, heard)
        await store.stored(5)
        await store.closed()
        let tomorrow = StoreSchema(steps: StoreSchema.current.steps + ["ALTER TABLE position ADD COLUMN note TEXT"])
        let database = try connection(scratch.file)
        try tomorrow.bring(database)
        #expect(try StoreSchema.number(database, "PRAGMA user_version") == 2)
        #expect(try database.query("SELECT position, note FROM position") == [[.integer(5), .null]])
        #expect(heard.lines == [])
    }

    @Test func aStepThatFailsLeavesTheOlderFile() async throws {
        let store = PositionStore(scratch, heard)
        await store.stored(5)
        await store.closed()
        let bad = StoreSchema(steps: StoreSchema.current.steps + ["CREATE TABLE one (x); CREATE TABLE one (x)"])
        let database = try connection(scratch.file)
        #expect(throws: StoreTrouble.self) { try bad.bring(database) }
        #expect(try StoreSchema.number(database, "PRAGMA user_version") == 1)
        #expect(try StoreSchema.number(database, "SELECT count(*) FROM sqlite_schema") == 1)
        #expect(await PositionStore(scratch, heard).read() == 5)
    }

    @Test func aLaterVersionsFileIsLeftAlone() async throws {
        let store = PositionStore(scratch, heard)
        await store.stored(5)
        await store.closed()
        try connection(scratch.file).execute("PRAGMA user_version = 9")
        let next = PositionStore(scratch, heard)
        #expect(await next.stored(6) == nil)
        #expect(await next.read() == 6)
        await next.closed()
        #expect(heard.lines.count == 1)
        #expect(heard.lines.first?.contains("later version (schema 9)") == true, "\(heard.lines)")
        #expect(try connection(scratch.file).query("SELECT position FROM position") == [[.integer(5)]])
        #expect(!scratch.names.contains { $0.contains("broken") })
    }

    @Test func theOldestGoBeyondTheLimit() async throws {
        let store = PositionStore(scratch, heard)
        await store.stored(5)
        await store.closed()
        try connection(scratch.file).execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
            INSERT INTO position SELECT 'old ' || i, -1, -1, 'main', 1, 1, NULL, i, '' FROM n
            """)
        let next = PositionStore(scratch, heard)
        #expect(await next.read() == 5)
        await next.closed()
        let database = try connection(scratch.file)
        #expect(try StoreSchema.number(database, "SELECT count(*) FROM position") == Int64(StoreFile.limit))
    }

    @Test(arguments: ["", "/a-file/state", "/proc/nothing/state", "/a-file"])
    func withoutAPlaceItIsDoneWithout(place: String) async {
        put([], scratch.path + "/a-file")
        let directory: String? =
            place.isEmpty ? nil : place.hasPrefix("/proc") ? place : scratch.path + place
        let store = PositionStore(directory: directory, log: { [heard] in heard.take($0) })
        for position in 1...5 as ClosedRange<Int64> { #expect(await store.stored(position) == nil) }
        #expect(await store.read() == 5)
        #expect(await !store.closed())
        #expect(heard.lines.count == 1, "\(heard.lines)")
        #expect(heard.lines.first?.contains("in memory only") == true)
    }

    @Test func aPlaceThatAppearsIsUsed() async {
        put([], scratch.path + "/a-file")
        let store = PositionStore(directory: scratch.path + "/a-file/state", log: { [heard] in heard.take($0) })
        #expect(await store.stored(1, MediaIdentity(key: "other")) == nil)
        unlink(scratch.path + "/a-file")
        #expect(await store.stored(2) != nil)
        #expect(await store.closed())
        #expect(heard.lines.count == 2)
        #expect(heard.lines.last?.hasSuffix("stored again") == true)
        let rows = try? connection(scratch.path + "/a-file/state/" + StoreFile.name).query(
            "SELECT count(*) FROM position")
        #expect(rows == [[.integer(2)]])
    }
}
