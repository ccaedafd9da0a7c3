import OnstageTestSupport
import Testing

@testable import OnstagePlayback

/// A ring with something in it: each slot holds the number of its source frame.
private struct Model {
    var ring: MediaRing
    var slots: [Int64]
    let real: Int64

    init(capacity: Int64, kept: Int64, real: Int64) {
        ring = MediaRing(capacity: capacity, kept: kept)
        slots = Array(repeating: -1, count: Int(capacity))
        self.real = real
    }

    /// Fills as a reader does; answers whether there was room.
    mutating func fill(_ wanted: Int64, looped: Bool) -> Bool {
        if let length = ring.length, !looped, ring.base + ring.end > 0, (ring.base + ring.end) % length == 0 {
            return false
        }
        let position = ring.next
        guard let room = ring.reserve(wanted) else { return false }
        if let from = room.copyFrom {
            for index in 0..<room.frames { slots[room.slot + index] = slots[from + index] }
            ring.publish(Int64(room.frames))
            return true
        }
        let count = Int(max(0, min(Int64(room.frames), real - position)))
        for index in 0..<count { slots[room.slot + index] = position + Int64(index) }
        if count == 0 { ring.length = position } else { ring.publish(Int64(count)) }
        return true
    }
}

@Suite("Tables: which frames stand decoded")
struct MediaRingTests {
    @Test(
        "a random player gets the frames that are due, in every pass, on every way",
        arguments: 1...60 as ClosedRange<UInt64>)
    func walk(seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        let real = Int64.random(in: 1...400, using: &chance)
        let kept = Int64.random(in: 0...200, using: &chance)
        var model = Model(capacity: kept + .random(in: 1...300, using: &chance), kept: kept, real: real)
        var looped = Bool.random(using: &chance)
        /// The source frame that is due.
        var due: Int64 = 0
        /// Frames taken since the last move: so many may be given back.
        var behind: Int64 = 0
        var hasEnded = false
        for _ in 0..<3000 {
            switch Int.random(in: 0..<10, using: &chance) {
            case 0..<4:
                _ = model.fill(.random(in: 1...200, using: &chance), looped: looped)
            case 4..<8:
                let (slot, frames) = model.ring.piece(.random(in: 1...200, using: &chance), looped: looped)
                if frames == 0 {
                    if model.ring.isAtPassEnd(looped: looped) {
                        #expect(!looped)
                        #expect(due == real || due == 0)
                        hasEnded = true
                    }
                    continue
                }
                #expect(!hasEnded)
                for index in 0..<frames {
                    if looped, due == real { due = 0 }
                    guard model.slots[slot + index] == due else {
                        Issue.record("seed \(seed): frame \(model.slots[slot + index]) in the place of \(due)")
                        return
                    }
                    due += 1
                }
                model.ring.take(Int64(frames), looped: looped)
                behind = min(kept, behind + Int64(frames))
                if looped, due == real { due = 0 }
            case 8:
                if Int.random(in: 0..<8, using: &chance) == 0 { looped.toggle() }
                // A pass that was passed in a loop is not ended when the loop is called off at its very border.
                if !looped, model.ring.isAtPassEnd(looped: false) { hasEnded = true }
                if looped { hasEnded = false }
                if looped, due == real { due = 0 }
            default:
                let isNear = Bool.random(using: &chance)
                let back = Int64.random(in: 0...behind, using: &chance)
                let target = isNear ? ((due - back) % real + real) % real : Int64.random(in: 0..<real, using: &chance)
                if !model.ring.move(to: target) {
                    // What was taken lately never has to be read again.
                    if isNear { #expect(due == real || due < back, "seed \(seed): \(due) − \(back)") }
                    model.ring.jump(to: target)
                    behind = 0
                } else {
                    behind = isNear ? behind - back : 0
                }
                due = target
                hasEnded = false
            }
        }
    }

    @Test("A-24: a pass that fits is read once, and then repeated from the ring", arguments: [1, 3, 100, 1537])
    func repeated(length: Int64) {
        var model = Model(capacity: 10_000, kept: 1000, real: length)
        var fills = 0
        var due: Int64 = 0
        while due < 100_000 {
            while model.ring.length == nil {
                let isFilled = model.fill(500, looped: true)
                #expect(isFilled)
            }
            let position = model.ring.next
            guard let room = model.ring.reserve(500) else {
                let (slot, frames) = model.ring.piece(480, looped: true)
                for index in 0..<frames {
                    #expect(model.slots[slot + index] == (due + Int64(index)) % length)
                }
                model.ring.take(Int64(frames), looped: true)
                due += Int64(frames)
                continue
            }
            fills += 1
            guard let from = room.copyFrom else {
                Issue.record("frame \(position) would be read again")
                return
            }
            for index in 0..<room.frames { model.slots[room.slot + index] = model.slots[from + index] }
            model.ring.publish(Int64(room.frames))
        }
        #expect(fills > 0)
    }

    @Test("what the player has in hand is never given up for what comes")
    func kept() {
        var ring = MediaRing(capacity: 100, kept: 30)
        let all = ring.reserve(1000)
        #expect(all == MediaRing.Room(slot: 0, frames: 100))
        ring.publish(100)
        let none = ring.reserve(1)
        #expect(none == nil)
        ring.take(30, looped: false)
        #expect(ring.free == 0)
        ring.take(50, looped: false)
        #expect(ring.free == 50)
        let half = ring.reserve(1000)
        #expect(half == MediaRing.Room(slot: 0, frames: 50))
        let (isThere, isGone) = (ring.move(to: 50), !ring.move(to: 49))
        #expect(isThere && isGone, "thirty frames stay behind the place, and no more")
    }
}
