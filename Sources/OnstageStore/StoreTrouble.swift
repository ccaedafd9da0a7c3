internal import CSQLite
internal import OnstageCore

/// Why nothing can be read or written just now.
enum StoreTrouble: Error, Hashable {
    /// SQLite is not installed.
    case library(String)
    /// There is no directory, and none can be made.
    case directory(String)
    /// The file is damaged, or somebody else's: to be moved aside.
    case broken(String)
    /// The file is a later version's: left alone.
    case newer(Int64)
    /// Anything else that SQLite answers: locked, read-only, disk full.
    case database(SQLiteError)

    /// Sorts what SQLite answered.
    init(_ error: SQLiteError) {
        switch error.primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .broken(error.message)
        // A statement that fits our tables does not fit this file's.
        case SQLITE_ERROR, SQLITE_SCHEMA: self = .broken(error.message)
        default: self = .database(error)
        }
    }

    /// Runs `work` with its errors sorted.
    static func sorting<Answer>(_ work: () throws(SQLiteError) -> Answer) throws(StoreTrouble) -> Answer {
        do throws(SQLiteError) {
            return try work()
        } catch {
            throw StoreTrouble(error)
        }
    }

    /// What is wrong and what to do, to follow the file's name.
    var text: String {
        switch self {
        case .library(let text), .directory(let text): return text
        case .broken(let reason): return "it is broken (\(reason))"
        case .newer(let version):
            return "written by a later version (schema \(version)); install that, or name another place by --state"
        case .database(let error):
            let errno = error.errno == 0 ? "" : " (\(Errno.name(error.errno)))"
            let advice =
                switch error.primary {
                case SQLITE_FULL: "; make room on the disk"
                case SQLITE_BUSY: "; another process keeps it locked"
                case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
                    "; make its directory writable, or name one by --state"
                default: ""
                }
            return error.message + errno + advice
        }
    }
}
