internal import Onstage
internal import OnstageCore

/// What one run did, for whoever has to judge it: JSON, version 1.
///
/// All times are milliseconds of CLOCK_MONOTONIC since `start`, with at most three decimals. Readers ignore keys that they
/// do not know; keys are never taken away within a version.
struct Report: Sendable {
    /// One step of a scene.
    struct Transition: Hashable, Sendable {
        var at: MonotonicTime
        var scene: String
        var from: LifecycleState
        var to: LifecycleState
    }

    /// One acquire that was asked for.
    struct Acquisition: Hashable, Sendable {
        var asked: MonotonicTime
        /// Nil if it was called off, or is still waited for.
        var open: MonotonicTime?
        /// The first frame, sample or sound; nil if none came.
        var first: MonotonicTime?
    }

    /// One receipt, and for playback when its position was on the disk.
    struct Receipt: Hashable, Sendable {
        var receipt: ReleaseReceipt
        var stored: MonotonicTime?
    }

    /// What the lists of a resource no longer hold, summed up.
    struct Sums: Hashable, Sendable {
        /// Acquisitions that came to an open device.
        var opened = 0
        var receipts = 0
        var forced = 0
        var stuck = 0
        /// The longest time from a pause to its release.
        var worst: Duration?

        mutating func add(_ acquisition: Acquisition) {
            if acquisition.open != nil { opened += 1 }
        }

        mutating func add(_ receipt: ReleaseReceipt) {
            receipts += 1
            if receipt.forced { forced += 1 }
            if receipt.stuck { stuck += 1 }
            if let released = receipt.released { worst = max(worst ?? .zero, released - receipt.asked) }
        }
    }

    /// One resource of one scene.
    struct Resource: Sendable {
        /// "camera", "accelerometer", "gyroscope" or "playback".
        var id: String
        var scene: String
        var kind: ResourceKind
        /// The identity of the device it had, or last waited for.
        var device: String?
        var isSynthetic = false
        /// What was really set at the last acquire, in the driver's order.
        var format: [(name: String, value: FormatValue)] = []
        /// All of them; where no report is written, the newest ones.
        var acquisitions: [Acquisition] = []
        var receipts: [Receipt] = []
        /// Those that are no longer in the two lists.
        var earlier = Sums()
        var counts = DriverCounts()
        /// The newest sample of a motion sensor, in m/s² or rad/s.
        var value: SIMD3<Double>?
        /// One line each, in their order.
        var errors: [String] = []

        /// Over everything there was.
        var sums: Sums {
            var sums = earlier
            for acquisition in acquisitions { sums.add(acquisition) }
            for entry in receipts { sums.add(entry.receipt) }
            return sums
        }
    }

    /// The media and where its sound was at the end.
    struct Playback: Hashable, Sendable {
        /// The path; nil for the built-in sound.
        var media: String?
        /// Source frames per second.
        var rate: Int?
        /// Source frames of the whole media; nil where its length is not known.
        var frames: Int64?
        /// The source frame that is heard next.
        var position: Int64?
        var underruns: UInt64 = 0
    }

    var start: MonotonicTime
    var profile: String
    /// The exit status.
    var exit: Int32 = 0
    /// All of them; where no report is written, the newest ones.
    var transitions: [Transition] = []
    /// Activations that are no longer among the transitions.
    var earlierActivations = 0
    var resources: [Resource] = []
    /// Nil where nothing was to be played.
    var playback: Playback?
}
