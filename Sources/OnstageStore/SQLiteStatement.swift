internal import CSQLite

/// One statement, prepared once and run again and again: to read its text costs more than to run it.
///
/// *Runs on:* the thread of its connection, which it keeps open.
final class SQLiteStatement {
    private let connection: SQLiteConnection
    private let statement: OpaquePointer

    /// *C: `sqlite3_prepare_v2`.*
    init(_ text: String, _ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        statement = try connection.prepare(text)
    }

    deinit {
        _ = csqlite_finalize(statement)
    }

    /// Sets the parameter `index`, from 1; it stands until it is set anew.
    func bind(_ index: Int32, _ value: SQLiteValue) throws(SQLiteError) {
        try connection.bind(statement, index, value)
    }

    /// Goes to its first row and stays there: from then on its connection reads what stood there at that moment, until
    /// ``leave()``. False where it has no row. *C: `sqlite3_step`.*
    func stay() throws(SQLiteError) -> Bool {
        let code = csqlite_step(statement)
        if code == SQLITE_ROW { return true }
        let error = connection.error(code)
        _ = csqlite_reset(statement)
        guard code == SQLITE_DONE else { throw error }
        return false
    }

    /// Goes back to before its first row. *C: `sqlite3_reset`.*
    func leave() {
        _ = csqlite_reset(statement)  // what went wrong was told by the step
    }

    /// Runs it to its end; it answers no rows. *C: `sqlite3_step`, `sqlite3_reset`.*
    func run() throws(SQLiteError) {
        let code = csqlite_step(statement)
        guard code == SQLITE_DONE else {
            let error = connection.error(code)
            _ = csqlite_reset(statement)
            throw error
        }
        // Ends the transaction: what fails of it is the news.
        try connection.check(csqlite_reset(statement))
    }
}
