internal import Synchronization

/// What the pointers of this machine's cards have shown of what lies behind them, by driver, card and rate; for as long as this
/// process lives.
///
/// One thing can be measured without hearing the other side: nobody has heard more of a stream than there has been time for. A
/// pointer that is further on than that tells of frames that the card has fetched and not played (a FIFO, a burst, transfers that
/// its delay does not count), and by how many at least. So a guard is only ever raised by it; and drivers tell a wrong pointer
/// now and then, so of two looks the smaller one is believed.
///
/// What cannot be learned so: sound that a card holds back at a constant distance while its pointer keeps pace with the clock
/// (converters, a screen's own delay), and that the guard usual for a driver is too long. For these there is a profile's
/// `guardMilliseconds`. Nothing is learned through plug-ins, whose pointers are made up, nor from a stream that has run for
/// long: by then the card's crystal and the system's differ by as much.
package final class GuardTable: Sendable {
    /// This process's.
    package static let shared = GuardTable()

    /// What is known of one card.
    private struct Known {
        /// The latest looks, by how many frames each was ahead.
        var looks: [Int] = []
        /// What two of them have shown.
        var lead = 0

        mutating func take(_ seen: Int) {
            if looks.count == GuardTable.remembered { looks.removeFirst() }
            looks.append(seen)
            var (most, second) = (0, 0)
            for look in looks {
                if look > most { (most, second) = (look, most) } else { second = max(second, look) }
            }
            lead = max(lead, second)
        }
    }

    /// How many looks a lead waits for a second one that shows as much.
    private static let remembered = 8

    private let cards = Mutex<[GuardKey: Known]>([:])

    package init() {}

    /// By how many frames at most a pointer was seen ahead of what can have been heard, by two looks; nil where none has been
    /// taken.
    package func lead(_ key: GuardKey) -> Int? {
        cards.withLock { $0[key]?.lead }
    }

    /// Takes note of a look.
    /// - Returns: what is known with it.
    @discardableResult
    func note(_ seen: Int, _ key: GuardKey) -> Int {
        cards.withLock { cards in
            cards[key, default: Known()].take(seen)
            return cards[key]?.lead ?? 0
        }
    }

    /// The guard for a pointer that was seen so many frames ahead: these, and a millisecond, for it was not looked at all the time.
    static func guardFrames(lead: Int, rate: Int) -> Int {
        min(lead + rate / 1000, rate / 5)
    }
}
