import OnstageCore

@testable import OnstagePlayback

// What a sound card in memory is made of, the faults that it may have, and what outlives its openings.
extension FakeOutput {
    /// What the card is like.
    struct Make {
        var isPlain = true
        var isBatch = false
        /// It can be stopped and its pointer be read in one go.
        var canHold = false
        /// It takes no other number of channels; nil for as many as are asked for.
        var channels: Int?
        var period = 1200
        var buffer = 4800
        var guardFrames = 240
        /// Its driver and card, where what they show is to be learned.
        var guardKey: GuardKey?
        var guardOrigin = GuardOrigin.usual
        /// The pointer moves in steps of this many frames.
        var grain = 1
        /// Between the steps of its pointer the card plays on.
        var isPointerLate = false
        /// Frames that lie behind the pointer: handed over, not heard yet, lost at a drop.
        var behind = 0
        /// Frames that are under way in transfers, as the delay tells: the pointer is so far ahead of what is heard. They are lost
        /// when the stream breaks off.
        var queue = 0
        /// But for this: of a ring that is empty they are played to their end.
        var playsOut = false
        /// Its crystal is faster than the clock by so many frames in a thousand.
        var fastness: Int64 = 0
        /// So many frames less are under way than the delay tells.
        var rounding = 0
        /// A mixer (dmix): it starts up to so many frames before its card's pointer; a write that comes after the pointer has
        /// passed its place is left out as a whole and said to be taken; what is mixed is played, dropped or not.
        var mixer: Int?
        /// What tells of its plugs; nil where it has none.
        var jacks: @Sendable () throws(DeviceError) -> (any JackWatch)? = { () throws(DeviceError) in nil }
        /// Its writes are calls of the kernel's, which alone may read what it is handed.
        var isLent: Bool { isPlain && mixer == nil }
    }

    enum Fault: Hashable {
        /// A write takes this many frames at most.
        case shortWrite(Int)
        /// The next write, or look, is refused with this errno.
        case refuse(Int32)
        case delay(Int64)
        /// At the next look the pointer is told to be so much further on.
        case ahead(Int64)
        case state(PCMState)
        case statusFails(Int32)
        /// The next attempt to prepare it is refused with this errno.
        case prepare(Int32)
        /// The next attempt to start it is refused with this errno.
        case start(Int32)
    }

    /// What outlives one opening: the listener, and the faults to come.
    final class Room {
        /// Every frame that was heard, silence left out.
        var heard: [Int32] = []
        /// Frames that were handed over with something else on the right than on the left, or anything behind the two.
        var astray = 0
        var faults: [Fault] = []
        /// Time that passes at each call, as on a slow or busy machine.
        var slowness: () -> Duration = { .zero }
        var openings = 0
        /// What was asked to be taken back.
        var rewinds: [Int] = []
        var open = 0
        var last: FakeOutput?
        /// The card is closed.
        var onClose: () -> Void = {}

        private var checked = 0

        /// The first place since the last call at which a frame does not follow its forerunner; nil if all is well.
        func firstFault() -> String? {
            while checked < heard.count {
                guard heard[checked] == Int32(checked + 1) else {
                    return "frame \(heard[checked] - 1) was heard in the place of \(checked)"
                }
                checked += 1
            }
            return nil
        }

        func take(_ fits: (Fault) -> Bool) -> Fault? {
            guard let index = faults.firstIndex(where: fits) else { return nil }
            return faults.remove(at: index)
        }
    }
}
