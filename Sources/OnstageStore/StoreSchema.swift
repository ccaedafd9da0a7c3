/// What the tables look like, and how an older file becomes one of today's.
struct StoreSchema: Sendable {
    /// `PRAGMA application_id` of our files: "OnSt".
    static let application: Int64 = 0x4F6E_5374

    /// One step for each version; `user_version` says how many a file has behind it. A step that has shipped is never
    /// changed, only followed by another.
    var steps: [String]

    static let current = StoreSchema(steps: [
        """
        CREATE TABLE position (
            media TEXT NOT NULL, size INTEGER NOT NULL, changed INTEGER NOT NULL, scene TEXT NOT NULL,
            position INTEGER NOT NULL, rate INTEGER NOT NULL, frames INTEGER,
            updated INTEGER NOT NULL, boot TEXT NOT NULL,
            PRIMARY KEY (media, size, changed, scene)
        ) WITHOUT ROWID;
        """
    ])

    /// Brings the file behind `connection` to today's version, in one transaction.
    func bring(_ connection: SQLiteConnection) throws(StoreTrouble) {
        let (version, isOurs) = try StoreTrouble.sorting { () throws(SQLiteError) in
            let version = try Self.number(connection, "PRAGMA user_version")
            let application = try Self.number(connection, "PRAGMA application_id")
            let tables = try Self.number(connection, "SELECT count(*) FROM sqlite_schema")
            return (version, application == Self.application || (application == 0 && version == 0 && tables == 0))
        }
        guard isOurs, version >= 0 else { throw .broken("a database of another program") }
        guard version <= steps.count else { throw .newer(version) }
        if version < steps.count {
            try StoreTrouble.sorting { () throws(SQLiteError) in try migrate(connection) }
        }
    }

    private func migrate(_ connection: SQLiteConnection) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            // Asked again: another process may have been quicker.
            let version = try Self.number(connection, "PRAGMA user_version")
            for step in steps.dropFirst(Int(version)) { try connection.execute(step) }
            try connection.execute(
                """
                PRAGMA application_id = \(Self.application);
                PRAGMA user_version = \(max(Int64(steps.count), version))
                """)
        }
    }

    static func number(_ connection: SQLiteConnection, _ text: String) throws(SQLiteError) -> Int64 {
        guard case .integer(let number)? = try connection.query(text).first?.first else {
            throw SQLiteError.broken("no number from \(text)")
        }
        return number
    }
}
