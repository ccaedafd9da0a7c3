/// A device as a driver found it, before anything of it is held.
public struct ResolvedDevice: Hashable, Sendable {
    /// What two resources on the same device have in common: the kernel's own name of it ("/dev/video0" by its real path,
    /// "hw:CARD=Loopback,DEV=0,SUBDEV=0", "/dev/iio:device0", "synthetic camera 0"). Nil where sharing is fine (dmix).
    public var key: String?
    /// How it is named in errors, receipts and the report: the stable identity.
    public var identity: String
    /// The node or PCM that is opened now.
    public var node: String
    /// Made up by Onstage, not hardware.
    public var isSynthetic: Bool
    /// The nodes of /dev whose close may set it free: the kernel tells whoever waits for it. Several where a name may lead
    /// to any of them; none where `node` is such a node itself, or where there is none.
    public var watched: [String]

    public init(key: String?, identity: String, node: String, isSynthetic: Bool = false, watched: [String] = []) {
        self.key = key
        self.identity = identity
        self.node = node
        self.isSynthetic = isSynthetic
        self.watched = watched
    }

    /// Every node of /dev that is worth a look when it changes: ``watched``, or ``node`` itself.
    package var nodes: [String] {
        (watched.isEmpty ? [node] : watched).filter { $0.hasPrefix("/dev/") }
    }
}

/// One field of a format that is really set: what the report's `format` object holds.
public enum FormatValue: Hashable, Sendable {
    case integer(Int64)
    case number(Double)
    case text(String)
    case flag(Bool)
}

/// What an acquire came to.
package struct Acquired: Sendable {
    /// What is really set, read back from the device, in the order to show it.
    package var format: [(name: String, value: FormatValue)]
    /// What was asked for and could not be had exactly, or must be known ("reset after a dead holder"), one line each.
    package var notes: [String]

    package init(format: [(name: String, value: FormatValue)], notes: [String] = []) {
        self.format = format
        self.notes = notes
    }
}

/// How a device is to be given back.
package struct ReleaseRequest: Hashable, Sendable {
    package var asked: MonotonicTime
    /// A deadline presses (eviction, system sleep): what can be had sooner with a stated bound is preferred.
    package var hurried: Bool

    package init(asked: MonotonicTime, hurried: Bool) {
        self.asked = asked
        self.hurried = hurried
    }
}

/// How far a release has come.
package enum ReleaseStep: Sendable {
    /// Not yet: wait once more for what ``DeviceDriver/prepare(_:)`` names, then ask again.
    case waiting
    /// The kernel has every descriptor and mapping back.
    case released(ReleaseDetail)
}

/// Told by a driver on its device's thread while it is open.
package enum DriverReport: Sendable {
    /// The first frame, sample or sound since this acquire, with its own time.
    case first(MonotonicTime)
    /// Something that does not end the stream (a rejected control, a stream restart, an xrun), as one line.
    case note(String)
    /// A fault that the driver is mending by itself (stall restart, XRUN); counted among the resource's errors.
    case recovered(DeviceError)
    /// Playback: the device is open and silent, because its media has not come (true); or it goes on (false).
    case waiting(Bool)
    /// Playback: a plug was pulled that the sound was heard by.
    case becameNoisy
    /// Playback: the end of the media has been heard. The broker releases the device.
    case ended
    /// What a device that could not be had waits for has come: worth another try. The one that comes while nothing is open,
    /// and from another thread of the driver's.
    case available
}

/// Counted since the resource was made; read from any thread.
package struct DriverCounts: Hashable, Sendable {
    /// Frames, samples or source frames of sound handed on.
    package var delivered: UInt64 = 0
    /// Left out because a sink was slow, or lost before us (gaps in the sequence).
    package var dropped: UInt64 = 0
    /// Flagged bad, short or empty by the device, and not handed on.
    package var bad: UInt64 = 0
    /// Playback: times the device ran out of sound.
    package var underruns: UInt64 = 0

    package init() {}

    package static func + (a: DriverCounts, b: DriverCounts) -> DriverCounts {
        var sum = a
        sum.delivered += b.delivered
        sum.dropped += b.dropped
        sum.bad += b.bad
        sum.underruns += b.underruns
        return sum
    }
}

/// What tells a driver that a later wish has called its acquire off.
package protocol CancellationSource: Sendable {
    /// Whether the acquire that it was handed to is no longer wanted.
    var isCancelled: Bool { get }
    /// Becomes readable when anything new is wanted of this thread; to be polled beside a device in a wait of the
    /// driver's own, never read.
    var wakeDescriptor: Int32 { get }
}

extension CancellationSource {
    /// Throws ``DeviceError/Kind/cancelled`` when the acquire is no longer wanted. Called between any two steps.
    package func check(_ operation: String, device: String) throws(DeviceError) {
        if isCancelled { throw DeviceError(.cancelled, operation: operation, device: device) }
    }
}

/// One resource's way to its device, told what to do by the device's thread.
///
/// *Runs on:* the device's own thread, one call at a time, unless a member says otherwise. No call waits for longer than
/// the kernel holds it: waiting happens in the thread's one waiting function, on what `prepare` names. A driver never
/// decides whether to hold the device, only how.
///
///     resolve → acquire → (prepare → wait → service)* → release+ → resolve …
package protocol DeviceDriver: AnyObject {
    /// Finds the device, holding nothing afterwards.
    /// - Throws: `absent` when there is none, `configuration` when the selector fits several or a wrong kind.
    func resolve() throws(DeviceError) -> ResolvedDevice

    /// Opens, configures and starts it. A throw leaves nothing open, mapped or enabled.
    /// - Throws: any kind; `cancelled` when `cancellation` says so between two steps.
    func acquire(_ device: ResolvedDevice, _ cancellation: any CancellationSource) throws(DeviceError) -> Acquired

    /// Names what to wait for. Called before each wait while acquired, unless ``keepsWait``, and while releasing.
    func prepare(_ wait: inout WaitSet)

    /// Whether the wait that was named last still holds: the same open descriptors, and nothing due before its deadline.
    /// Then the kernel is told of it once, and ``prepare(_:)`` is not called again before the deadline or a mail. Asked
    /// after each naming and after each turn. Default false.
    var keepsWait: Bool { get }

    /// One turn of a wait that is kept, after it has ended by a descriptor of the driver's own: until when that wait may last
    /// now. Nil where there is more to be done; ``service(_:now:)`` is called then, whatever was done here. Default nil.
    func keptTurn(_ wait: borrowing WaitSet, now: MonotonicTime) -> MonotonicTime?

    /// Whether a turn of the wait that is kept leaves nothing ready behind: then a descriptor is told of when it becomes
    /// ready. Default false.
    var takesAll: Bool { get }

    /// Takes what came. Called after each wait that was not only a mail.
    /// - Throws: when the stream is broken beyond what the driver mends itself; `absent` when the device is gone. The
    ///   thread then calls `release` and tells the broker that the device is lost or failed.
    func service(_ wait: borrowing WaitSet, now: MonotonicTime) throws(DeviceError)

    /// Gives the device back, in as many turns as it needs. Never fails: whatever happens, at the end nothing is held.
    /// Called again after each wait until it answers `released`. After that no sink is called.
    func release(_ request: ReleaseRequest, now: MonotonicTime) -> ReleaseStep

    /// What may come later than the answer to a release, or to an acquire that came to nothing: the device is free, and
    /// nobody waits for this. Called after each such answer, before anything else is wanted. Default: nothing.
    func settle()

    /// Counted so far. *Runs on:* any thread.
    var counts: DriverCounts { get }

    /// Stops the stream through a duplicate descriptor, so that a blocked call on the device's thread returns. Called by
    /// the watchdog when a release is overdue. *Runs on:* the broker's thread; must not wait for the device's thread.
    func force()
}

/// How a driver tells the broker of what happens while it is open. *Runs on:* the device's thread.
package typealias DriverReporter = @Sendable (DriverReport) -> Void

extension DeviceDriver {
    package var keepsWait: Bool { false }
    package func keptTurn(_ wait: borrowing WaitSet, now: MonotonicTime) -> MonotonicTime? { nil }
    package var takesAll: Bool { false }
    package func settle() {}
}
