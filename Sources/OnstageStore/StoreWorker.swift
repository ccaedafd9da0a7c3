internal import CLinux
internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// The store's thread and its mailbox.
final class StoreWorker: Sendable {
    /// A question for a position.
    struct Read: Sendable {
        var key: PositionTable.Key
        var frames: Int64?
        var completion: @Sendable (StoredPosition?) -> Void
    }

    /// What has been asked for since the thread looked last.
    struct Mail: Sendable {
        /// Only the newest of each.
        var records: [PositionTable.Key: StoredPosition] = [:]
        var completions: [@Sendable (MonotonicTime?) -> Void] = []
        var reads: [Read] = []
        var follows: [PositionFollow] = []
        var flushes: [@Sendable (Bool) -> Void] = []
        var isClosing = false

        var isOnlyClosing: Bool { isClosing && records.isEmpty && reads.isEmpty && follows.isEmpty && flushes.isEmpty }
    }

    private struct Box: Sendable {
        var mail = Mail()
        var hasThread = false
        var isClosed = false
    }

    /// The boot we are in, as the kernel names it.
    let boot = StoreWorker.bootID()
    private let file: StoreFile
    /// Something is held from one position to the next if that is due so soon.
    private let soon: Duration
    private let box = Mutex(Box())
    private let bell = Descriptor(owning: clinux_eventfd())

    init(file: StoreFile, soon: Duration = .seconds(2)) {
        self.file = file
        self.soon = soon
    }

    /// Appends to the mail and wakes the thread. False if the store is closed. *Runs on:* any thread; never waits.
    @discardableResult
    func post(_ change: (inout Mail) -> Void) -> Bool {
        let accepted = box.withLock { box in
            guard !box.isClosed else { return false }
            change(&box.mail)
            if box.mail.isClosing { box.isClosed = true }
            // A store that was never used needs no thread to be closed.
            if !box.hasThread, !box.mail.isOnlyClosing { box.hasThread = begin() }
            return true
        }
        clinux_eventfd_add(bell.number)
        return accepted
    }

    /// Begins the thread, which keeps the worker alive until it ends. False if the system has no more threads: the next
    /// mail tries again.
    private func begin() -> Bool {
        do throws(DeviceError) {
            // SIGXFSZ is blocked in it, as every signal but its own faults: a file that may not grow is an error here, and not
            // the program's end.
            try PosixThread.start("onstage-store") { self.run() }
            return true
        } catch {
            return false
        }
    }

    /// A position that is asked for when it is due.
    private struct Followed {
        let follow: PositionFollow
        var due: MonotonicTime
        var record: PositionTable.Record?
    }

    private func run() {
        let table = PositionTable(file: file)
        var followed: [Followed] = []
        var set = pollfd(fd: bell.number, events: Int16(POLLIN), revents: 0)
        while true {
            var timeout: Int64 = -1
            if let due = followed.lazy.map(\.due.nanoseconds).min() {
                timeout = max(0, due - MonotonicTime.now.nanoseconds)
            }
            if clinux_poll(&set, 1, timeout) > 0, take(table, &followed) { return }
            if !followed.isEmpty { ask(&followed, table) }
        }
    }

    /// Does what the mail asks for; true when that was the last.
    private func take(_ table: PositionTable, _ followed: inout [Followed]) -> Bool {
        clinux_eventfd_clear(bell.number)
        let mail = box.withLock { box in
            defer { box.mail = Mail() }
            return box.mail
        }
        for (key, stored) in mail.records { table.remember(stored, key) }
        for read in mail.reads { read.completion(answer(read, table)) }
        let now = MonotonicTime.now
        for follow in mail.follows { followed.append(Followed(follow: follow, due: now + follow.interval)) }
        if !mail.records.isEmpty || !mail.flushes.isEmpty || mail.isClosing {
            let saved = table.save()
            let time = saved ? MonotonicTime.now : nil
            for completion in mail.completions { completion(time) }
            if mail.isClosing { table.close() }
            for flush in mail.flushes { flush(saved) }
        }
        return mail.isClosing
    }

    /// Asks for the positions that are due, and writes those that have moved.
    private func ask(_ followed: inout [Followed], _ table: PositionTable) {
        let now = MonotonicTime.now
        var isNew = false
        var index = 0
        while index < followed.count {
            guard followed[index].due <= now else {
                index += 1
                continue
            }
            let follow = followed[index].follow
            guard let position = follow.ask() else {
                followed.remove(at: index)
                continue
            }
            followed[index].due = now + follow.interval
            let record = followed[index].record ?? table.record(follow.key)
            if record?.stored.position != position {
                let stored = StoredPosition(
                    position: position, rate: follow.rate, frames: follow.frames, updated: clinux_clock(CLOCK_REALTIME),
                    boot: boot)
                if let record { table.remember(stored, record) }
                followed[index].record = record ?? table.remember(stored, follow.key)
                isNew = true
            }
            index += 1
        }
        // None has moved, or none is followed any more: for how long, nobody knows.
        guard isNew, let next = followed.lazy.map(\.due).min() else { return table.letGo() }
        // What could not be written is tried again with the next.
        _ = table.save(goesOn: next - now <= soon)
    }

    private func answer(_ read: Read, _ table: PositionTable) -> StoredPosition? {
        guard let stored = table.position(read.key) else { return nil }
        if let frames = read.frames, stored.position > frames {
            file.log(
                "\(file.path): the position of \(read.key.media.name) lies beyond its end "
                    + "(\(stored.position) of \(frames) frames); it begins at 0")
            return nil
        }
        return stored
    }

    private static func bootID() -> String {
        guard let line = SmallFile.line("/proc/sys/kernel/random/boot_id"), line.utf8.count == 36 else { return "" }
        return line
    }
}
