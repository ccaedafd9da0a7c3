/// The positions: those of this process in memory, all of them in the file, as far as there is one.
///
/// *Runs on:* the store's thread.
final class PositionTable {
    /// One position's place.
    struct Key: Hashable, Sendable {
        var media: MediaIdentity
        var scene: String

        /// As the columns of the primary key have it: media, size, changed, scene.
        var values: [SQLiteValue] { [.text(media.name), .integer(media.size), .integer(media.changed), .text(scene)] }
    }

    private enum Access {
        case none
        case readOnly(SQLiteConnection)
        case open(SQLiteConnection, FileNumber, PositionWriter)
    }

    /// What this process knows of one position. *Runs on:* the store's thread.
    final class Record {
        let key: Key
        fileprivate(set) var stored: StoredPosition
        /// It is not on the disk yet.
        fileprivate var isDirty = false

        fileprivate init(_ key: Key, _ stored: StoredPosition) {
            self.key = key
            self.stored = stored
        }
    }

    /// A file that breaks again and again is given up, so that a failing disk is not filled with its remains.
    private static let mendings = 3

    private let file: StoreFile
    /// Looked at before each write.
    private let path: String
    private var access = Access.none
    /// What this process has recorded: played on from where there is no disk, written anew when the file goes away.
    private var memory: [Key: Record] = [:]
    private var dirty: [Record] = []
    private var isInTrouble = false
    private var mended = 0

    init(file: StoreFile) {
        self.file = file
        path = file.path
    }

    /// Records a position in memory, to be written by the next ``save()``.
    @discardableResult
    func remember(_ stored: StoredPosition, _ key: Key) -> Record {
        let record = memory[key] ?? Record(key, stored)
        memory[key] = record
        remember(stored, record)
        return record
    }

    /// The same for what has been recorded before.
    func remember(_ stored: StoredPosition, _ record: Record) {
        record.stored = stored
        if !record.isDirty { dirty.append(record) }
        record.isDirty = true
    }

    /// What has been recorded of `key`.
    func record(_ key: Key) -> Record? { memory[key] }

    /// The position of `key`: what this process has recorded, else what the file says. Nil where there is none, or none to
    /// be believed.
    func position(_ key: Key) -> StoredPosition? {
        if let record = memory[key] { return record.stored }
        guard let row = row(key) else { return nil }
        switch StoredPosition.reading(row) {
        case .success(let stored): return stored
        case .failure(let doubt):
            file.log("\(file.path): the position of \(key.media.name) \(doubt.text); it begins at 0")
            return nil
        }
    }

    /// Puts everything recorded on the disk. Answers whether it is there.
    ///
    /// - Parameter goesOn: whether more comes soon. Who says so calls this again soon, or ``letGo()``.
    func save(goesOn: Bool = false) -> Bool {
        guard !dirty.isEmpty else {
            letGo()
            return true
        }
        do throws(StoreTrouble) {
            try mending { () throws(StoreTrouble) in try write(try opened(), goesOn: goesOn) }
            for record in dirty { record.isDirty = false }
            dirty.removeAll(keepingCapacity: true)
            if isInTrouble { file.log("\(file.path): positions are stored again") }
            isInTrouble = false
            return true
        } catch {
            complain(error)
            return false
        }
    }

    /// Nothing more comes soon: nothing is held that other processes would feel.
    func letGo() {
        if case .open(_, _, let writer) = access { writer.endReading() }
    }

    func close() {
        access = .none
    }

    // MARK: Reading and writing

    private func row(_ key: Key) -> [SQLiteValue]? {
        do throws(StoreTrouble) {
            return try mending { () throws(StoreTrouble) in
                let (connection, writer) = try opened()
                writer.endReading()
                return try read(key, connection)
            }
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
                """, key.values
            ).first
        }
    }

    private func write(
        _ open: (connection: SQLiteConnection, writer: PositionWriter), goesOn: Bool
    ) throws(StoreTrouble) {
        try StoreTrouble.sorting { () throws(SQLiteError) in
            // One statement is a transaction by itself.
            if dirty.count == 1, goesOn {
                open.writer.keepReading()
                return try open.writer.write(dirty[0].stored, dirty[0].key)
            }
            open.writer.endReading()
            if dirty.count == 1 { return try open.writer.write(dirty[0].stored, dirty[0].key) }
            try open.connection.transaction { () throws(SQLiteError) in
                for record in dirty { try open.writer.write(record.stored, record.key) }
            }
        }
    }

    // MARK: Opening and mending

    private func opened() throws(StoreTrouble) -> (connection: SQLiteConnection, writer: PositionWriter) {
        if case .open(let connection, let number, let writer) = access {
            if FileNumber(path) == number { return (connection, writer) }
            // Somebody has moved or removed it: begin anew with all that is known here. (A close leaves the journal of the
            // file that has taken its place alone: SQLite looks.)
            dirtyAll()
        }
        if case .readOnly = access {} else { access = .none }
        let (connection, number) = try file.open()
        let writer = try StoreTrouble.sorting { () throws(SQLiteError) in try PositionWriter(connection) }
        access = .open(connection, number, writer)
        return (connection, writer)
    }

    private func dirtyAll() {
        dirty = Array(memory.values)
        for record in dirty { record.isDirty = true }
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
            dirtyAll()
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
