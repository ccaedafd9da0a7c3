internal import Synchronization

/// Which card a guard is known of, at which rate.
package struct GuardKey: Hashable, Sendable {
    /// The kernel's driver ("snd_hda_intel", "snd-usb-audio").
    package var driver: String
    /// The card's ID.
    package var card: String
    package var rate: Int

    package init(driver: String, card: String, rate: Int) {
        self.driver = driver
        self.card = card
        self.rate = rate
    }
}

/// Where a guard comes from.
package enum GuardOrigin: String, Hashable, Sendable {
    /// The profile says it: it stands, whatever the card shows.
    case profile
    /// What is known of drivers of its kind.
    case usual = "default"
    /// The card has shown that more lies behind its pointer than that.
    case learned
}

/// What the pointers of this machine's cards have shown of what lies behind them, by driver, card and rate; for as long as this
/// process lives.
///
/// One thing can be measured without hearing the other side: nobody has heard more of a stream than there has been time for. A
/// pointer that is further on than that tells of frames that the card has fetched and not played (a FIFO, a burst, transfers that
/// its delay does not count), and by how many at least. So a guard is only ever raised by it.
///
/// What cannot be learned so: sound that a card holds back at a constant distance while its pointer keeps pace with the clock
/// (converters, a screen's own delay), and that the guard usual for a driver is too long. For these there is a profile's
/// `guardMilliseconds`. Nothing is learned through plug-ins, whose pointers are made up, nor from a stream that has run for
/// long: by then the card's crystal and the system's differ by as much.
package final class GuardTable: Sendable {
    /// This process's.
    package static let shared = GuardTable()

    private let leads = Mutex<[GuardKey: Int]>([:])

    package init() {}

    /// By how many frames at most a pointer was seen ahead of what can have been heard; nil where none has been looked at.
    package func lead(_ key: GuardKey) -> Int? {
        leads.withLock { $0[key] }
    }

    func note(_ lead: Int, _ key: GuardKey) {
        leads.withLock { $0[key] = max($0[key] ?? 0, lead) }
    }

    /// The guard for a pointer that was seen so many frames ahead: these, and a millisecond, for it was not looked at all the time.
    static func guardFrames(lead: Int, rate: Int) -> Int {
        min(lead + rate / 1000, rate / 5)
    }
}

extension OutputFacts {
    /// Takes what has been learned of its card, unless a profile says otherwise.
    mutating func takeLearned(_ table: GuardTable = .shared) {
        guard guardOrigin != .profile, let guardKey, let lead = table.lead(guardKey), lead > 0 else { return }
        let learned = GuardTable.guardFrames(lead: lead, rate: guardKey.rate)
        guard learned > guardFrames else { return }
        (guardFrames, guardOrigin) = (learned, .learned)
    }
}
