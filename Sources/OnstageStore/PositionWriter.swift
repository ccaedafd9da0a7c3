internal import CSQLite

/// Writes one position, in one statement and a transaction of its own: what a player asks for once a second.
///
/// The row that was written last stands bound: then it is its position and its time that are handed over. (To change the row
/// instead of putting another in its place takes more, not less: what stands in it is read first.)
///
/// *Runs on:* the store's thread.
final class PositionWriter {
    private let statement: SQLiteStatement
    private var bound: (key: PositionTable.Key, stored: StoredPosition)?
    /// A read that stays open from one write to the next; nil where others could not write meanwhile.
    private let reading: SQLiteStatement?
    /// How many have been written since it was opened; nil while it is not.
    private var held: Int?
    /// How many are still to be written before one is opened again: somebody else has just written.
    private var shared = 0

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        statement = try SQLiteStatement(
            "INSERT OR REPLACE INTO position VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", connection)
        let isLogged = try connection.query("PRAGMA journal_mode") == [[.text("wal")]]
        // Of another table: a cursor in the one that is written would be put aside at each write.
        reading = isLogged ? try SQLiteStatement("SELECT 1 FROM sqlite_schema", connection) : nil
    }

    func write(_ stored: StoredPosition, _ key: PositionTable.Key) throws(SQLiteError) {
        try bind(stored, key)
        do throws(SQLiteError) {
            try statement.run()
        } catch {
            // Whatever it was, the next one begins with nothing held.
            guard held != nil else { throw error }
            endReading()
            // Another process has written since (SQLITE_BUSY_SNAPSHOT), and behind what is read here nothing can be written any
            // more; or it is about to (SQLITE_BUSY), and SQLite waits for nobody as long as a transaction is open.
            guard error.primary == SQLITE_BUSY else { throw error }
            shared = StoreFile.logPages
            try statement.run()
        }
        if let held { self.held = held + 1 }
    }

    private func bind(_ stored: StoredPosition, _ key: PositionTable.Key) throws(SQLiteError) {
        let last = bound
        // Until all of it stands bound, none of it is believed.
        bound = nil
        if last?.key != key {
            for (index, value) in key.values.enumerated() { try statement.bind(Int32(index + 1), value) }
        }
        try statement.bind(5, .integer(stored.position))
        if last?.stored.rate != stored.rate { try statement.bind(6, .integer(stored.rate)) }
        if last == nil || last?.stored.frames != stored.frames {
            try statement.bind(7, stored.frames.map(SQLiteValue.integer) ?? .null)
        }
        try statement.bind(8, .integer(stored.updated))
        if last?.stored.boot != stored.boot { try statement.bind(9, .text(stored.boot)) }
        bound = (key, stored)
    }

    /// The next one comes soon: what it takes to find out where the log ends, four locks of the file among it, is not done
    /// anew for it. Others read and write as ever; only the log cannot begin anew meanwhile, so now and then it is ended, and
    /// where others write too it is seldom opened: of three that take turns one would always be.
    ///
    /// Who calls this calls ``endReading()`` when the next one does not come soon after all. A process that is stopped meanwhile
    /// (SIGSTOP, a frozen control group) cannot: until it goes on, each entry of another adds a page to the log.
    func keepReading() {
        if let held, held >= StoreFile.logPages { return endReading() }
        if shared > 0 {
            shared -= 1
            return
        }
        // Without it, it takes a little longer, and tells its trouble then.
        guard held == nil, let reading, (try? reading.stay()) == true else { return }
        held = 0
    }

    /// What is read from now on is what stands there then.
    func endReading() {
        guard held != nil else { return }
        reading?.leave()
        held = nil
    }
}
