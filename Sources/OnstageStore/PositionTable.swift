/// The positions: those of this process in memory, all of them in the file, as far as there is one.
///
/// *Runs on:* the store's thread.
final class PositionTable {
    /// One position's place.
    struct Key: Hashable, Sendable {
        var media: MediaIdentity
        var scene: String
    }

    private enum Access {
        case none
        case readOnly(SQLiteConnection)
        case open(SQLiteConnection, FileNumber)
    }

    /// A file that breaks again and again is given up, so that a failing disk is not filled with its remains.
    private static let mendings = 3

    private let file: StoreFile
    private var access = Access.none
    /// What this process has recorded: played on from where there is no disk, written anew when the file goes away.
    private var memory: [Key: StoredPosition] = [:]
    private var dirty: Set<Key> = []
    private var isInTrouble = false
    private var mended = 0

    init(file: StoreFile) {
        self.file = file
    }

    /// Records a position in memory, to be written by the next ``save()``.
    func remember(_ stored: StoredPosition, _ key: Key) {
        memory[key] = stored
        dirty.insert(key)
    }

    /// The position of `key`: what this process has recorded, else what the file says. Nil where there is none, or none to
    /// be believed.
    func position(_ key: Key) -> StoredPosition? {
        if let stored = memory[key] { return stored }
        guard let row = row(key) else { return nil }
        switch StoredPosition.reading(row) {
        case .success(let stored): return stored
        case .failure(let doubt):
            file.log("\(file.path): the position of \(key.media.name) \(doubt.text); it begins at 0")
            return nil
        }
    }

    /// Puts everything recorded on the disk. Answers whether it is there.
    func save() -> Bool {
        guard !dirty.isEmpty else { return true }
        do throws(StoreTrouble) {
            try mending { () throws(StoreTrouble) in try write(try opened()) }
            dirty.removeAll()
            if isInTrouble { file.log("\(file.path): positions are stored again") }
            isInTrouble = false
            return true
        } catch {
            complain(error)
            return false
        }
    }

    func close() {
        access = .none
    }

    // MARK: Reading and writing

    private func row(_ key: Key) -> [SQLiteValue]? {
        do throws(StoreTrouble) {
            return try mending { () throws(StoreTrouble) in try read(key, try opened()) }
        } catch {
            complain(error)
        }
        // Nothing can be written. Perhaps something can be read; if not, that has been said.
        do throws(StoreTrouble) {
            let connection: SQLiteConnection
            if case .readOnly(let open) = access { connection = open } else { connection = try file.openForReading() }
            access = .readOnly(connection)
            return try read(key, connection)
        } catch {
            return nil
        }
    }

    private func read(_ key: Key, _ connection: SQLiteConnection) throws(StoreTrouble) -> [SQLiteValue]? {
        try StoreTrouble.sorting { () throws(SQLiteError) in
            try connection.query(
                """
                SELECT position, rate, frames, updated, boot FROM position
                WHERE media = ? AND size = ? AND changed = ? AND scene = ?
                """, Self.values(key)
            ).first
        }
    }

    private func write(_ connection: SQLiteConnection) throws(StoreTrouble) {
        try StoreTrouble.sorting { () throws(SQLiteError) in
            try connection.execute("BEGIN IMMEDIATE")
            do throws(SQLiteError) {
                for key in dirty {
                    guard let stored = memory[key] else { continue }
                    try connection.query(
                        "INSERT OR REPLACE INTO position VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        Self.values(key) + [
                            .integer(stored.position), .integer(stored.rate),
                            stored.frames.map(SQLiteValue.integer) ?? .null, .integer(stored.updated),
                            .text(stored.boot),
                        ])
                }
                try connection.execute("COMMIT")
            } catch {
                // A full disk has rolled it back already.
                try? connection.execute("ROLLBACK")
                throw error
            }
        }
    }

    private static func values(_ key: Key) -> [SQLiteValue] {
        [.text(key.media.name), .integer(key.media.size), .integer(key.media.changed), .text(key.scene)]
    }

    // MARK: Opening and mending

    private func opened() throws(StoreTrouble) -> SQLiteConnection {
        if case .open(let connection, let number) = access {
            if FileNumber(file.path) == number { return connection }
            // Somebody has moved or removed it: begin anew with all that is known here. (A close leaves the journal of the
            // file that has taken its place alone: SQLite looks.)
            dirty = Set(memory.keys)
        }
        if case .readOnly = access {} else { access = .none }
        let (connection, number) = try file.open()
        access = .open(connection, number)
        return connection
    }

    /// Runs `work`; if the file turns out to be broken, moves it aside and runs it once more, on a fresh one.
    private func mending<Answer>(_ work: () throws(StoreTrouble) -> Answer) throws(StoreTrouble) -> Answer {
        do throws(StoreTrouble) {
            return try work()
        } catch {
            guard case .broken(let reason) = error, mended < Self.mendings else { throw error }
            mended += 1
            access = .none
            let aside = try file.moveAside()
            file.log("\(file.path) is broken (\(reason)): moved aside as \(aside), positions begin at 0")
            dirty = Set(memory.keys)
            return try work()
        }
    }

    /// One warning for each time of trouble, however long it lasts.
    private func complain(_ trouble: StoreTrouble) {
        guard !isInTrouble else { return }
        isInTrouble = true
        file.log("\(file.path): positions are kept in memory only: \(trouble.text)")
    }
}
