/// Writes one position, in one statement and a transaction of its own: what a player asks for once a second.
///
/// The row that was written last stands bound: then it is its position and its time that are handed over.
///
/// *Runs on:* the store's thread.
final class PositionWriter {
    private let statement: SQLiteStatement
    private var bound: (key: PositionTable.Key, stored: StoredPosition)?

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        statement = try SQLiteStatement(
            "INSERT OR REPLACE INTO position VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", connection)
    }

    func write(_ stored: StoredPosition, _ key: PositionTable.Key) throws(SQLiteError) {
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
        try statement.run()
    }
}
