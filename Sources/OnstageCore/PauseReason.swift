/// Why a resource does not run. A resource runs only while it has no reason to pause.
public enum PauseReason: UInt8, Hashable, Sendable, CaseIterable {
    /// The user paused it, or it was never told to play. Survives any number of lifecycle resumes.
    case user
    /// Its scene's state is below what its binding asks for, or it is not bound.
    case lifecycle
    /// An interruption that names its kind, or all kinds, has begun and not ended.
    case interrupted
    /// Another scene that became active later has the device.
    case evicted
    /// The device went away; it is awaited under whatever number it comes back.
    case deviceLost
    /// The system is about to sleep, or sleeps.
    case systemSleep
    /// The screen is off.
    case screenOff
    /// The media has been played to its end; a seek or play takes it away.
    case finished
    /// Its stored position is being read.
    case preparing
    /// Another player has the sound for a while (``AudioFocus``); it goes on by itself when that is over.
    case focus
}

/// A set of pause reasons.
public struct PauseReasons: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }
    public init(_ reason: PauseReason) {
        rawValue = 1 << UInt16(reason.rawValue)
    }

    public func contains(_ reason: PauseReason) -> Bool {
        contains(PauseReasons(reason))
    }

    /// The reasons in this set, in the order of their declaration.
    public var reasons: [PauseReason] {
        PauseReason.allCases.filter { contains($0) }
    }
}
