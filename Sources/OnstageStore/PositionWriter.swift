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
            // Another process has written since: behind what is read here nothing can be written any more.
            guard held != nil, error.isStale else { throw error }
            endReading()
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
    /// anew for it. Others read and write as ever; only the log cannot begin anew meanwhile, so now and then it is ended.
    func keepReading() {
        if let held, held >= StoreFile.logPages { return endReading() }
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

extension SQLiteError {
    /// What was read is no longer the newest: SQLITE_BUSY_SNAPSHOT, which Swift does not see.
    fileprivate var isStale: Bool { code == SQLITE_BUSY | 2 << 8 }
}
