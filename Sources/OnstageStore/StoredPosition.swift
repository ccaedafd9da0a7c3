/// Where the sound of one media in one scene was when it was last journalled.
package struct StoredPosition: Hashable, Sendable {
    /// The source frame that is to be heard next, from 0.
    package var position: Int64
    /// Source frames per second; 0 where it was not known.
    package var rate: Int64
    /// Frames of the whole media; nil where its length was not known.
    package var frames: Int64?
    /// When, in nanoseconds since 1970 by the wall clock: for people, not for arithmetic.
    package var updated: Int64
    /// The boot it was written in (`/proc/sys/kernel/random/boot_id`), empty where the kernel does not tell.
    package var boot: String

    package init(position: Int64, rate: Int64, frames: Int64?, updated: Int64, boot: String) {
        self.position = position
        self.rate = rate
        self.frames = frames
        self.updated = updated
        self.boot = boot
    }
}

extension StoredPosition {
    /// What one row of the store says, or why it cannot be believed.
    ///
    /// Whoever can write to the file can write anything into it: nothing is taken over unlooked at.
    static func reading(_ row: [SQLiteValue]) -> Result<StoredPosition, Doubt> {
        guard row.count == 5, case .integer(let position) = row[0] else { return .failure(Doubt("is not a number")) }
        guard position >= 0 else { return .failure(Doubt("is negative (\(position))")) }
        guard case .integer(let rate) = row[1], (0...100_000_000).contains(rate) else {
            return .failure(Doubt("has a rate that no media has"))
        }
        let frames: Int64?
        switch row[2] {
        case .integer(let count) where count >= 0: frames = count
        case .null: frames = nil
        default: return .failure(Doubt("has a length that no media has"))
        }
        if let frames, position > frames {
            return .failure(Doubt("lies beyond the media's end (\(position) of \(frames) frames)"))
        }
        // A position needs neither of these: what is odd in them is left out.
        let updated: Int64 = if case .integer(let time) = row[3] { time } else { 0 }
        let boot: String = if case .text(let text) = row[4] { text } else { "" }
        return .success(StoredPosition(position: position, rate: rate, frames: frames, updated: updated, boot: boot))
    }

    /// Why a stored position is not taken over.
    struct Doubt: Error, Hashable {
        let text: String
        init(_ text: String) {
            self.text = text
        }
    }
}
