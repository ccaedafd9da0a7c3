internal import CSQLite
internal import Glibc
internal import OnstageCore

/// Opens the store's file: makes it, checks it, mends it.
///
/// *Runs on:* the store's thread.
struct StoreFile {
    static let name = "positions.sqlite"
    /// How many positions are kept; the oldest go.
    static let limit = 10_000
    /// Milliseconds to wait for another process's lock. Nobody waits for this thread meanwhile.
    static let busy: Int32 = 5_000

    /// The log is put into the file when it has so many pages. One position after the other is the same page, and for each
    /// SQLite looks through those of it that are in the log: with a thousand, its own measure, that is a fifth of a write.
    static let logPages = 128

    let directory: String?
    let schema: StoreSchema
    let log: @Sendable (String) -> Void

    var path: String { directory.map { "\($0)/\(Self.name)" } ?? Self.name }

    /// A connection that can write, to a file that has been looked through.
    func open() throws(StoreTrouble) -> (SQLiteConnection, FileNumber) {
        let directory = try ready()
        do throws(DeviceError) {
            try StateDirectory.make(directory)
        } catch {
            throw .directory("\(error)")
        }
        // Held to the end of this call: two processes never judge or mend the file at once.
        let lock = DirectoryLock(directory)
        defer { extendLifetime(lock) }
        let kind = FileNumber.kind(of: path)
        if kind == .other { throw .broken("no regular file") }
        let connection = try StoreTrouble.sorting { () throws(SQLiteError) in try journalled() }
        try check(connection)
        // Not before it can be used: a full disk leaves an empty file behind at each try.
        if kind == .empty { log("\(path) is empty: positions begin at 0") }
        guard let number = FileNumber(path) else { throw .directory("it was removed while it was opened") }
        return (connection, number)
    }

    /// A connection to what can only be read, such as the store of a read-only image.
    func openForReading() throws(StoreTrouble) -> SQLiteConnection {
        _ = try ready()
        do throws(SQLiteError) {
            return try reading(path, SQLITE_OPEN_READONLY)
        } catch {
            // Without a writable directory there is no index for the journal; a store that was closed well has no journal.
            guard FileNumber.kind(of: path + "-wal") != .regular else { throw StoreTrouble(error) }
        }
        return try StoreTrouble.sorting { () throws(SQLiteError) in
            try reading("file:\(Self.escaped(path))?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
        }
    }

    /// Puts a broken file out of the way. Answers where it is now.
    func moveAside() throws(StoreTrouble) -> String {
        let directory = try ready()
        let lock = DirectoryLock(directory)
        defer { extendLifetime(lock) }
        guard let aside = BrokenFile.moveAside(Self.name, in: directory) else {
            throw .broken("and cannot be moved aside")
        }
        return aside
    }

    private func ready() throws(StoreTrouble) -> String {
        if let text = csqlite_load() { throw .library(String(cString: text)) }
        guard let directory else { throw .directory("neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME names a place") }
        return directory
    }

    private func reading(_ path: String, _ flags: Int32) throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, flags: flags, busy: Self.busy)
        try connection.query("SELECT count(*) FROM position")
        return connection
    }

    /// With a write-ahead log where the file system can share its index, else with a rollback journal (9p, some network
    /// file systems). Both put a commit on the disk before it returns.
    ///
    /// Which one is decided when the file is made, and kept: to try again would be seen by other processes as a file that
    /// changes under them.
    private func journalled() throws(SQLiteError) -> SQLiteConnection {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(path: path, flags: flags, busy: Self.busy)
            guard !connection.isReadOnly else {
                throw SQLiteError(code: SQLITE_READONLY, message: "the file is read-only", errno: 0)
            }
            let isNew = try connection.query("SELECT count(*) FROM sqlite_schema") == [[.integer(0)]]
            // A position is one page of the log: what is written and summed up for it.
            if isNew { try connection.execute("PRAGMA page_size = 1024") }
            let mode = try connection.query("PRAGMA journal_mode")
            if mode != [[.text("wal")]], !isNew {
                try connection.execute("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL")
                return connection
            }
            if try connection.query("PRAGMA journal_mode = WAL") == [[.text("wal")]] {
                try connection.execute(
                    """
                    PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = \(Self.logPages);
                    SELECT count(*) FROM sqlite_schema
                    """)
                return connection
            }
        } catch {
            guard error.isWithoutSharedMemory else { throw error }
        }
        let connection = try SQLiteConnection(path: path, flags: flags, busy: Self.busy)
        try connection.execute(
            """
            PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; SELECT count(*) FROM sqlite_schema;
            PRAGMA locking_mode = NORMAL; PRAGMA synchronous = FULL; SELECT count(*) FROM sqlite_schema
            """)
        // The index that could not be shared.
        _ = unlink(path + "-shm")
        return connection
    }

    private func check(_ connection: SQLiteConnection) throws(StoreTrouble) {
        try schema.bring(connection)
        let verdict = try StoreTrouble.sorting { () throws(SQLiteError) in
            let verdict = try connection.query("PRAGMA integrity_check(1)").first?.first
            try connection.query(
                "SELECT media, size, changed, scene, position, rate, frames, updated, boot FROM position LIMIT 0")
            try connection.query(
                """
                DELETE FROM position WHERE updated <
                (SELECT updated FROM position ORDER BY updated DESC LIMIT 1 OFFSET \(Self.limit - 1))
                """)
            return verdict
        }
        guard verdict == .text("ok") else { throw .broken("its rows do not fit together") }
    }

    /// `path` as it stands in a file: URI.
    private static func escaped(_ path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                text += "%" + String(byte, radix: 16, uppercase: true)
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }
}
