internal import CSQLite

/// One value of a row, or one to bind.
enum SQLiteValue: Hashable, Sendable {
    case integer(Int64)
    case text(String)
    case null
    /// A real number or a blob: nothing that we wrote.
    case other
}

/// What SQLite answered instead of doing it.
struct SQLiteError: Error, Hashable {
    /// SQLite's extended result code.
    var code: Int32
    var message: String
    /// The errno behind it, 0 if none.
    var errno: Int32

    /// The primary result code.
    var primary: Int32 { code & 0xFF }

    /// The journal's index cannot be shared on this file system (9p, some network ones).
    var isWithoutSharedMemory: Bool {
        primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_PROTOCOL
    }

    static func broken(_ message: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, message: message, errno: 0)
    }
}

/// One open database. *Runs on:* the thread that made it.
final class SQLiteConnection {
    private let connection: OpaquePointer

    /// Opens `path`. The library must have been loaded. *C: `sqlite3_open_v2`.*
    init(path: String, flags: Int32, busy milliseconds: Int32) throws(SQLiteError) {
        var connection: OpaquePointer?
        let code = csqlite_open(path, flags | SQLITE_OPEN_NOMUTEX, &connection)
        guard let connection else {
            throw SQLiteError(code: code, message: "out of memory", errno: 0)
        }
        guard code == SQLITE_OK else {
            let error = SQLiteError(
                code: code, message: String(cString: csqlite_message(connection)), errno: csqlite_errno(connection))
            _ = csqlite_close(connection)
            throw error
        }
        csqlite_extended_codes(connection)
        csqlite_busy_timeout(connection, milliseconds)
        self.connection = connection
    }

    deinit {
        _ = csqlite_close(connection)
    }

    /// Whether it could only be opened for reading.
    var isReadOnly: Bool { csqlite_is_read_only(connection) != 0 }

    /// Runs statements that answer nothing. *C: `sqlite3_exec`.*
    func execute(_ text: String) throws(SQLiteError) {
        try check(csqlite_execute(connection, text))
    }

    /// Runs one statement and answers its rows. *C: `sqlite3_prepare_v2`, `sqlite3_step`.*
    @discardableResult
    func query(_ text: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> [[SQLiteValue]] {
        let statement = try prepare(text)
        defer { _ = csqlite_finalize(statement) }
        for (index, value) in values.enumerated() {
            try bind(statement, Int32(index + 1), value)
        }
        var rows: [[SQLiteValue]] = []
        while true {
            let code = csqlite_step(statement)
            if code == SQLITE_DONE { return rows }
            guard code == SQLITE_ROW else { throw error(code) }
            rows.append(row(statement))
        }
    }

    /// Sets the parameter `index`, from 1.
    func bind(_ statement: OpaquePointer, _ index: Int32, _ value: SQLiteValue) throws(SQLiteError) {
        switch value {
        case .integer(let number): try check(csqlite_bind_integer(statement, index, number))
        case .text(let text): try check(csqlite_bind_text(statement, index, text))
        case .null, .other: try check(csqlite_bind_null(statement, index))
        }
    }

    /// Does `work` in a transaction, or nothing of it.
    func transaction<Answer>(_ work: () throws(SQLiteError) -> Answer) throws(SQLiteError) -> Answer {
        try execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let answer = try work()
            try execute("COMMIT")
            return answer
        } catch {
            // What failed is the news; a full disk has rolled it back already.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// A statement that the caller finalizes. *C: `sqlite3_prepare_v2`.*
    func prepare(_ text: String) throws(SQLiteError) -> OpaquePointer {
        var prepared: OpaquePointer?
        try check(csqlite_prepare(connection, text, &prepared))
        guard let prepared else { throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement", errno: 0) }
        return prepared
    }

    private func row(_ statement: OpaquePointer) -> [SQLiteValue] {
        var row: [SQLiteValue] = []
        var column: Int32 = 0
        while column < csqlite_column_count(statement) {
            switch csqlite_column_type(statement, column) {
            case SQLITE_INTEGER: row.append(.integer(csqlite_column_integer(statement, column)))
            case SQLITE_NULL: row.append(.null)
            case SQLITE_TEXT:
                var count: Int32 = 0
                let bytes = csqlite_column_text(statement, column, &count)
                row.append(.text(String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)))
            default: row.append(.other)
            }
            column += 1
        }
        return row
    }

    func check(_ code: Int32) throws(SQLiteError) {
        if code != SQLITE_OK { throw error(code) }
    }

    func error(_ code: Int32) -> SQLiteError {
        SQLiteError(
            code: code, message: String(cString: csqlite_message(connection)), errno: csqlite_errno(connection))
    }
}
