internal import OnstageCore

/// The end of what a command holds: its wishes are decided, the devices come back, the disk has the positions, the broker is
/// closed. None of them is waited for for ever.
struct SessionEnd: Hashable, Sendable {
    /// What is to be done now.
    enum Step: Hashable, Sendable {
        case wait
        /// The broker is to be closed.
        case close
        case over
    }

    private enum Stage: Hashable, Sendable {
        /// Its wishes have been made; since when nothing is held any more.
        case leaving(isDecided: Bool, restSince: MonotonicTime?)
        case closing
    }

    /// How long the disk is waited for when all devices are back.
    private static let storeLimit = Duration.seconds(1)
    private static let closingLimit = Duration.milliseconds(300)

    private var stage = Stage.leaving(isDecided: false, restSince: nil)
    private var until: MonotonicTime

    /// - Parameter until: when devices are waited for no longer.
    init(until: MonotonicTime) {
        self.until = until
    }

    /// When to look again at the latest.
    var deadline: MonotonicTime {
        if case .leaving(_, let since?) = stage { return min(until, since + Self.storeLimit) }
        return until
    }

    /// The wishes with which it began have been decided: what is held from now on is on its way back.
    mutating func decided() {
        if case .leaving(_, let since) = stage { stage = .leaving(isDecided: true, restSince: since) }
    }

    mutating func advance(_ now: MonotonicTime, isReleased: Bool, isStored: Bool) -> Step {
        switch stage {
        case .leaving(let isDecided, let since):
            if isDecided, isReleased {
                stage = .leaving(isDecided: true, restSince: since ?? now)
                if !isStored, deadline > now { return .wait }
            } else if until > now {
                return .wait
            }
            stage = .closing
            until = now + Self.closingLimit
            return .close
        case .closing: return until <= now ? .over : .wait
        }
    }
}
