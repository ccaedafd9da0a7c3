import Glibc
import OnstageCore
import Testing

@testable import OnstageStore

/// What is written once a second: one row, changed where it stands, with a read kept open from one write to the next.
@Suite struct PositionWriterTests {
    let scratch = Scratch()
    let key = PositionTable.Key(media: .ramp, scene: "main")
    let other = PositionTable.Key(media: MediaIdentity(key: "other"), scene: "main")

    private func opened() throws -> SQLiteConnection {
        try StoreFile(directory: scratch.path, schema: .current, log: { _ in }).open().0
    }

    private func position(_ position: Int64, rate: Int64 = 48_000, frames: Int64? = nil, boot: String = "a")
        -> StoredPosition
    {
        StoredPosition(position: position, rate: rate, frames: frames, updated: position + 1, boot: boot)
    }

    private func rows(_ connection: SQLiteConnection) throws -> [[SQLiteValue]] {
        try connection.query("SELECT position, rate, frames, updated, boot FROM position ORDER BY media")
    }

    @Test("what has changed of a row is written with its position, and one that was taken out is there again")
    func change() throws {
        let writer = try PositionWriter(try opened())
        let reader = try connection(scratch.file)
        let steps: [StoredPosition] = [
            position(1), position(2), position(3, rate: 44_100), position(4, rate: 44_100, frames: 9),
            position(5, rate: 44_100), position(6, rate: 44_100, boot: "b"), position(7),
        ]
        for (number, step) in steps.enumerated() {
            if number % 3 == 2 { try reader.query("DELETE FROM position") }
            try writer.write(step, key)
            let frames = step.frames.map(SQLiteValue.integer) ?? .null
            #expect(
                try rows(reader) == [
                    [.integer(step.position), .integer(step.rate), frames, .integer(step.updated), .text(step.boot)]
                ])
        }
        try writer.write(position(70, rate: 8_000, boot: "c"), other)
        try writer.write(position(8), key)
        let all = try rows(reader)
        #expect(all.map { $0[0] } == [.integer(8), .integer(70)])
        #expect(all.map { $0[1] } == [.integer(48_000), .integer(8_000)])
    }

    @Test("while a read is kept open others read and write as ever, and what they write is neither lost nor overlooked")
    func reading() throws {
        let writer = try PositionWriter(try opened())
        let stranger = try connection(scratch.file)
        for number in 1...30 as ClosedRange<Int64> {
            writer.keepReading()
            try writer.write(position(number), key)
            #expect(try rows(stranger).first?.first == .integer(number))  // "/media…" comes before "other"
            if number % 4 == 0 {
                let theirs = try PositionWriter(stranger)
                try theirs.write(position(1000 + number), other)
            }
            if number % 10 == 9 { #expect(try stranger.query("DELETE FROM position WHERE rate = 48000").isEmpty) }
        }
        writer.endReading()
        #expect(try rows(stranger).map { $0[0] } == [.integer(30)])
    }

    @Test("a position that another process has written is read, also between two entries of the journal")
    func fresh() throws {
        let table = PositionTable(file: StoreFile(directory: scratch.path, schema: .current, log: { _ in }))
        table.remember(position(1), key)
        #expect(table.save(goesOn: true))
        table.remember(position(2), key)
        #expect(table.save(goesOn: true))
        try PositionWriter(try connection(scratch.file)).write(position(77), other)
        #expect(table.position(other)?.position == 77)
        table.remember(position(3), key)
        #expect(table.save(goesOn: true))
        table.close()
        #expect(scratch.names == [StoreFile.name])
    }

    @Test("the log begins anew however long it is written to") func log() throws {
        let connection = try opened()
        try connection.execute("PRAGMA synchronous = OFF")  // it is about lengths
        let writer = try PositionWriter(connection)
        for number in 1...5000 as ClosedRange<Int64> {
            writer.keepReading()
            try writer.write(position(number), key)
        }
        var status = stat()
        #expect(stat(scratch.file + "-wal", &status) == 0)
        #expect(status.st_size < 3 * StoreFile.logPages * 1048, "of 5000 entries")
        writer.endReading()
        #expect(try rows(connection).map { $0[0] } == [.integer(5000)])
    }

    @Test("without a write-ahead log nothing is kept open: nobody else could write") func rollback() throws {
        do {
            try PositionWriter(try opened()).write(position(1), key)
        }
        #expect(try connection(scratch.file).query("PRAGMA journal_mode = DELETE") == [[.text("delete")]])
        let writer = try PositionWriter(try opened())
        writer.keepReading()
        try writer.write(position(2), key)
        let stranger = try SQLiteConnection(path: scratch.file, flags: 2, busy: 0)  // SQLITE_OPEN_READWRITE
        try PositionWriter(stranger).write(position(3), other)
        #expect(try rows(stranger).count == 2)
    }
}
