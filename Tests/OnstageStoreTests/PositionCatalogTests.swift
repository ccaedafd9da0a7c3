import CSQLite
import Glibc
import OnstageCore
import Testing

@testable import OnstageStore

/// The store looked at from outside.
@Suite struct PositionCatalogTests {
    private let scratch = Scratch()

    private var catalog: PositionCatalog { PositionCatalog(directory: scratch.path) }

    /// A store with three positions, closed or still in use.
    private func store(isOpen: Bool = false) -> PositionStore {
        let store = PositionStore(directory: scratch.path) { _ in }
        store.record(1, rate: 8_000, frames: 100, for: MediaIdentity(key: "a"), scene: "one")
        store.record(2, rate: 8_000, frames: nil, for: MediaIdentity(key: "a"), scene: "two")
        store.record(
            3, rate: 48_000, frames: 7, for: MediaIdentity(name: "/b", size: 5, changed: 6), scene: "one")
        #expect(store.flush())
        if !isOpen { store.close() }
        return store
    }

    @Test func withoutAStoreThereIsNothingAndNoneIsMade() throws {
        #expect(try catalog.entries() == [])
        #expect(try catalog.remove([]) == 0)
        #expect(try PositionCatalog(directory: scratch.path + "/none").entries() == [])
        #expect(scratch.names == [])
    }

    @Test(arguments: [false, true]) func listsAndRemovesAlsoWhileItIsInUse(_ isOpen: Bool) throws {
        let store = store(isOpen: isOpen)
        let all = try catalog.entries()
        #expect(
            Set(all.map { "\($0.media.name) \($0.scene) \($0.stored?.position ?? -1)" }) == [
                "a one 1", "a two 2", "/b one 3",
            ])
        #expect(all.allSatisfy { $0.doubt == nil })
        #expect(try catalog.remove(all.filter { $0.media.name == "a" }) == 2)
        #expect(try catalog.entries().map(\.media.name) == ["/b"])
        #expect(try catalog.remove(all) == 1)
        #expect(try catalog.entries() == [])
        store.close()
    }

    /// What is kept while it is cleared is there afterwards.
    @Test func aPlayerGoesOn() throws {
        let store = store(isOpen: true)
        #expect(try catalog.remove(try catalog.entries()) == 3)
        store.record(9, rate: 8_000, frames: 100, for: MediaIdentity(key: "a"), scene: "one")
        #expect(store.flush())
        #expect(try catalog.entries().map { $0.stored?.position } == [9])
        store.close()
    }

    @Test func theNewestComesFirst() throws {
        let store = PositionStore(directory: scratch.path) { _ in }
        for name in ["x", "y", "z"] {
            store.record(1, rate: 1, frames: nil, for: MediaIdentity(key: name), scene: "s")
            #expect(store.flush())
        }
        store.close()
        #expect(try catalog.entries().map(\.media.name) == ["z", "y", "x"])
    }

    @Test func whatCannotBeBelievedIsListedWithItsDoubt() throws {
        _ = store()
        let connection = try SQLiteConnection(path: scratch.file, flags: SQLITE_OPEN_READWRITE, busy: 0)
        try connection.execute("UPDATE position SET position = -5 WHERE scene = 'two'")
        let doubted = try #require(try catalog.entries().first { $0.scene == "two" })
        #expect(doubted.stored == nil && doubted.doubt?.contains("negative") == true)
        #expect(try catalog.remove([doubted]) == 1)
    }

    /// A broken store is left as it is: a player moves it aside, this does not.
    @Test func aBrokenStoreIsAnErrorAndStaysAsItIs() throws {
        let noise = [UInt8](repeating: 0xA5, count: 20_000)
        let file = try #require(fopen(scratch.file, "w"))
        fwrite(noise, 1, noise.count, file)
        fclose(file)
        for _ in 0..<2 {
            #expect {
                _ = try catalog.entries()
            } throws: {
                ($0 as? DeviceError)?.kind == .configuration && "\($0)".contains("broken")
            }
        }
        #expect(scratch.names == [StoreFile.name])
    }

    @Test func aLaterVersionsStoreIsLeftAlone() throws {
        _ = store()
        let entries = try catalog.entries()
        do {
            let connection = try SQLiteConnection(path: scratch.file, flags: SQLITE_OPEN_READWRITE, busy: 0)
            try connection.execute("PRAGMA user_version = 99")
        }
        #expect {
            _ = try catalog.remove(entries)
        } throws: {
            "\($0)".contains("later version")
        }
    }

    @Test func anotherProcessThatKeepsItLockedIsWaitedForAndTold() throws {
        _ = store()
        let entries = try catalog.entries()
        let holder = try SQLiteConnection(path: scratch.file, flags: SQLITE_OPEN_READWRITE, busy: 0)
        try holder.execute("BEGIN IMMEDIATE")
        // Reading is none of its business.
        #expect(try catalog.entries().count == 3)
        #expect {
            _ = try catalog.remove(entries)
        } throws: {
            ($0 as? DeviceError)?.kind == .inUse
        }
        try holder.execute("ROLLBACK")
        #expect(try catalog.remove(entries) == 3)
    }
}
