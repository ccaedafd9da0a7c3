internal import CLinux
internal import Glibc
package import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// Keeps the positions of media beyond the end of the process and of the power.
///
/// All work with the disk is done by a thread of its own, begun at the first call. Whoever records a position puts it into
/// a mailbox and goes on; of several for the same media and scene the newest is written. A store that is broken is moved
/// aside, one that cannot be written is done without: both with one warning, neither with an error.
package final class PositionStore: Sendable {
    private let worker: StoreWorker

    /// A store in `directory`, made at first use; nil keeps positions in memory only. `log` hears one line for each
    /// warning, on the store's thread.
    package convenience init(directory: String?, log: @escaping @Sendable (String) -> Void) {
        self.init(directory: directory, schema: .current, log: log)
    }

    init(directory: String?, schema: StoreSchema, log: @escaping @Sendable (String) -> Void) {
        worker = StoreWorker(file: StoreFile(directory: directory, schema: schema, log: log))
    }

    deinit {
        worker.post { $0.isClosing = true }
    }

    /// Notes where the sound of `media` in `scene` is, in source frames, to be written at once by the store's thread.
    ///
    /// `completion` is called exactly once, on the store's thread: with the time at which this position, or a newer one of
    /// the same media and scene, was on the disk; with nil if it could not be written. It is then written with the next.
    ///
    /// *Runs on:* any thread; never waits.
    package func record(
        _ position: Int64, rate: Int64, frames: Int64?, for media: MediaIdentity, scene: String,
        completion: (@Sendable (MonotonicTime?) -> Void)? = nil
    ) {
        let stored = StoredPosition(
            position: max(position, 0), rate: rate, frames: frames, updated: clinux_clock(CLOCK_REALTIME),
            boot: worker.boot)
        let accepted = worker.post { mail in
            mail.records[PositionTable.Key(media: media, scene: scene)] = stored
            if let completion { mail.completions.append(completion) }
        }
        if !accepted { completion?(nil) }
    }

    /// Asks for the position of `media` in `scene` as often as `interval` says, first after one, and writes it where it has
    /// moved; until the answer is ended. `position` is called on the store's thread, and must not wait.
    ///
    /// *Runs on:* any thread; never waits.
    package func follow(
        rate: Int64, frames: Int64?, for media: MediaIdentity, scene: String, every interval: Duration,
        position: @escaping @Sendable () -> Int64
    ) -> PositionFollow {
        let follow = PositionFollow(
            PositionTable.Key(media: media, scene: scene), rate: rate, frames: frames, every: interval,
            position: position)
        worker.post { $0.follows.append(follow) }
        return follow
    }

    /// The stored position of `media` in `scene`; nil where there is none, or none to be believed (told to the log).
    ///
    /// A position beyond `frames`, the frames that the media has now, is not believed.
    /// Nil after `limit` too: a disk that hangs does not keep the sound from starting.
    ///
    /// *Runs on:* a thread that may wait for a disk; never a cooperative one, never a device's.
    package func position(
        for media: MediaIdentity, scene: String, frames: Int64? = nil, within limit: Duration = .seconds(2)
    ) -> StoredPosition? {
        let answer = Answer<StoredPosition?>()
        position(for: media, scene: scene, frames: frames) { answer.give($0) }
        return answer.wait(limit) ?? nil
    }

    /// As above; `completion` is called exactly once, on the store's thread.
    ///
    /// *Runs on:* any thread; never waits.
    package func position(
        for media: MediaIdentity, scene: String, frames: Int64? = nil,
        completion: @escaping @Sendable (StoredPosition?) -> Void
    ) {
        let read = StoreWorker.Read(
            key: PositionTable.Key(media: media, scene: scene), frames: frames, completion: completion)
        let accepted = worker.post { $0.reads.append(read) }
        if !accepted { completion(nil) }
    }

    /// Waits until everything recorded before is on the disk. False if it is not after `limit`.
    ///
    /// *Runs on:* a thread that may wait for a disk; never a cooperative one, never a device's.
    package func flush(within limit: Duration = .seconds(2)) -> Bool {
        let answer = Answer<Bool>()
        flush { answer.give($0) }
        return answer.wait(limit) ?? false
    }

    /// Writes what is left to write (again, if it failed); `completion` is called once, on the store's thread.
    ///
    /// *Runs on:* any thread; never waits.
    package func flush(completion: @escaping @Sendable (Bool) -> Void) {
        let accepted = worker.post { $0.flushes.append(completion) }
        if !accepted { completion(false) }
    }

    /// Flushes, closes the file and ends the thread. What is asked for afterwards is answered with nothing.
    ///
    /// *Runs on:* a thread that may wait for a disk; never a cooperative one, never a device's.
    @discardableResult
    package func close(within limit: Duration = .seconds(2)) -> Bool {
        let answer = Answer<Bool>()
        let accepted = worker.post { mail in
            mail.flushes.append { answer.give($0) }
            mail.isClosing = true
        }
        return accepted && answer.wait(limit) ?? false
    }
}
