/// Which frames of a media stand decoded in a ring: numbers only.
///
///     | heard or about to be, kept for the way back | ahead of the player | free |
///     start                                         place                 end
///
/// Frames are counted from the last jump, over as many passes of a loop as come; a frame's slot is its number modulo the
/// capacity. Whoever fills it takes a ``Room`` and publishes it; what the player has, or may go back to, is never in one.
struct MediaRing: Hashable, Sendable {
    /// Where decoded frames may be put.
    struct Room: Hashable {
        var slot: Int
        var frames: Int
        /// The slot that holds the same frames already: those of the pass before.
        var copyFrom: Int?
    }

    let capacity: Int64
    /// Frames behind the place that are not given up.
    let kept: Int64
    /// The source frame of frame 0.
    private(set) var base: Int64 = 0
    private(set) var start: Int64 = 0
    private(set) var place: Int64 = 0
    private(set) var end: Int64 = 0
    /// The frame that the last move went to. A pass that ends at it has not been ended by playing.
    private var origin: Int64 = 0
    /// Source frames of a pass, once its end has been met.
    var length: Int64?

    init(capacity: Int64, kept: Int64) {
        precondition(kept >= 0 && capacity > kept)
        self.capacity = capacity
        self.kept = kept
    }

    /// The source frame of a frame; 0 where a new pass begins.
    func source(_ frame: Int64) -> Int64 {
        let linear = base + frame
        guard let length, length > 0, linear >= length else { return linear }
        return linear % length
    }

    /// The source frame that is filled in next.
    var next: Int64 { source(end) }

    // MARK: The player's side

    /// Goes to a source frame if it stands in the ring, or comes next.
    mutating func move(to source: Int64, looped: Bool = true) -> Bool {
        var target = source - base
        if let length, length > 0, source < length {
            // Of several passes the last one that the player has reached; else the next one.
            target += (place - target) / length * length
            if target > place { target -= length }
            if target < start { target += length }
        }
        guard target >= start, target <= end else { return false }
        // Where no other pass follows, what stands at the end of one is not the first frame of the next.
        if !looped, target == end, source != base + target { return false }
        place = target
        origin = target
        return true
    }

    /// Forgets everything: what comes next is the frame `source`.
    mutating func jump(to source: Int64) {
        (base, start, place, end, origin) = (source, 0, 0, 0, 0)
    }

    /// The first frame behind the pass that is played; nil while its end has not been met.
    private var passEnd: Int64? {
        guard let length, length > 0 else { return nil }
        // The first multiple of the length beyond where the player came from.
        let first = length - base
        guard first <= origin else { return first }
        return first + ((origin - first) / length + 1) * length
    }

    /// Whether the pass has been played to its end. In a loop a pass has none.
    func isAtPassEnd(looped: Bool) -> Bool {
        guard !looped, let passEnd else { return false }
        return place >= passEnd
    }

    /// The frames that may be taken, of the present pass only unless looped.
    func available(looped: Bool) -> Int64 {
        let all = end - place
        guard !looped, let passEnd else { return all }
        return max(0, min(all, passEnd - place))
    }

    /// Those of them that lie in one piece, and the slot of the first.
    func piece(_ wanted: Int64, looped: Bool) -> (slot: Int, frames: Int) {
        let slot = place % capacity
        return (Int(slot), Int(max(0, min(wanted, available(looped: looped), capacity - slot))))
    }

    mutating func take(_ frames: Int64, looped: Bool) {
        precondition(frames <= end - place)
        place += frames
        // In a loop a pass's end is passed without a halt, and is none when the loop is called off later.
        if looped, let passEnd, place > passEnd { origin = place - 1 }
    }

    // MARK: The filler's side

    /// The frames that could be filled in now.
    var free: Int64 { capacity - (end - max(start, place - kept)) }

    /// So many of them are worth waking for: half of what is ahead of the player at most.
    var wakeFree: Int64 { (capacity - kept) / 2 }

    /// A place for up to `wanted` frames, in one piece. What stood there is gone from now on.
    mutating func reserve(_ wanted: Int64) -> Room? {
        let slot = end % capacity
        var frames = min(wanted, free, capacity - slot)
        guard frames > 0 else { return nil }
        var copyFrom: Int?
        if let length, length > 0, end >= length, end - length >= start {
            // The pass before lies in the ring: it is played again from there, and nothing is read or decoded twice.
            let from = (end - length) % capacity
            let most = min(frames, length, capacity - length, capacity - from)
            if most > 0 {
                frames = most
                copyFrom = Int(from)
            }
        }
        start = max(start, end + frames - capacity)
        return Room(slot: Int(slot), frames: Int(frames), copyFrom: copyFrom)
    }

    mutating func publish(_ frames: Int64) {
        end += frames
    }
}
