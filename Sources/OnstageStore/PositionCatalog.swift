internal import CSQLite
internal import Glibc
package import OnstageCore

/// A store looked at from outside: what it keeps, and taking some of it out. Players may use it at the same time.
///
/// It never mends: a store that is broken stays as it is.
/// *Runs on:* a thread that may wait for a disk, and for another process's lock (5 s).
package struct PositionCatalog: Sendable {
    /// One row.
    package struct Entry: Hashable, Sendable {
        package var media: MediaIdentity
        package var scene: String
        /// Nil where what stands there cannot be believed; `doubt` says why.
        package var stored: StoredPosition?
        package var doubt: String?
    }

    private let file: StoreFile

    package init(directory: String) {
        file = StoreFile(directory: directory, schema: .current, log: { _ in })
    }

    /// The file that holds it all.
    package var path: String { file.path }

    /// All of it, the newest first; nothing where there is no store.
    /// - Throws: `inUse` where another process keeps it locked, `permission`, `inputOutput`; `configuration` where it is
    ///   broken, a later version's, or SQLite is not installed.
    package func entries() throws(DeviceError) -> [Entry] {
        guard try hasContent() else { return [] }
        let rows = try sorted { () throws(StoreTrouble) in
            let connection = try file.openForReading()
            return try StoreTrouble.sorting { () throws(SQLiteError) in
                try connection.query(
                    """
                    SELECT media, size, changed, scene, position, rate, frames, updated, boot FROM position
                    ORDER BY updated DESC, media, scene
                    """)
            }
        }
        return rows.compactMap(Self.entry)
    }

    private static func entry(_ row: [SQLiteValue]) -> Entry? {
        guard row.count == 9, case .text(let media) = row[0], case .text(let scene) = row[3] else { return nil }
        func number(_ value: SQLiteValue) -> Int64 { if case .integer(let number) = value { number } else { -1 } }
        var entry = Entry(
            media: MediaIdentity(name: media, size: number(row[1]), changed: number(row[2])), scene: scene)
        switch StoredPosition.reading(Array(row[4...])) {
        case .success(let stored): entry.stored = stored
        case .failure(let doubt): entry.doubt = doubt.text
        }
        return entry
    }

    /// Takes out these; answers how many were there. One that plays now is kept anew at its next entry.
    /// - Throws: as ``entries()``.
    package func remove(_ entries: [Entry]) throws(DeviceError) -> Int {
        guard !entries.isEmpty, try hasContent() else { return 0 }
        return try sorted { () throws(StoreTrouble) in
            let (connection, _) = try file.open()
            return try StoreTrouble.sorting { () throws(SQLiteError) in
                try connection.transaction { () throws(SQLiteError) in
                    var count: Int64 = 0
                    for entry in entries {
                        try connection.query(
                            "DELETE FROM position WHERE media = ? AND size = ? AND changed = ? AND scene = ?",
                            PositionTable.Key(media: entry.media, scene: entry.scene).values)
                        if case .integer(let gone)? = try connection.query("SELECT changes()").first?.first {
                            count += gone
                        }
                    }
                    return Int(count)
                }
            }
        }
    }

    /// Whether there is anything to be looked at.
    private func hasContent() throws(DeviceError) -> Bool {
        switch FileNumber.kind(of: file.path) {
        case .missing, .empty: return false
        case .regular: return true
        // Not even opened: a pipe would keep us for ever.
        case .other: return try sorted { () throws(StoreTrouble) in throw .broken("no regular file") }
        }
    }

    /// Runs `work` with its troubles sorted by what the caller can do.
    private func sorted<Answer>(_ work: () throws(StoreTrouble) -> Answer) throws(DeviceError) -> Answer {
        do throws(StoreTrouble) {
            return try work()
        } catch {
            throw DeviceError(error.kind, operation: "", device: file.path, reason: error.text)
        }
    }
}

extension StoreTrouble {
    fileprivate var kind: DeviceError.Kind {
        switch self {
        case .library, .broken, .newer: return .configuration
        case .directory: return .permission
        case .database(let error):
            switch error.primary {
            case SQLITE_BUSY, SQLITE_LOCKED: return .inUse
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN: return .permission
            default: return .inputOutput
            }
        }
    }
}
