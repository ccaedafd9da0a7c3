internal import OnstageCore

/// Where a stream stands: deadlines, sequence, faults in a row. No I/O.
///
/// What is asked for each frame is kept in whole nanoseconds: a `Duration` has 128 bits.
struct CaptureProgress {
    /// When to look after a stream that gives nothing.
    private(set) var deadline = MonotonicTime(nanoseconds: .max)
    /// When the driver was last called.
    var lastTurn = MonotonicTime(nanoseconds: 0)
    /// The last frame handed on since the resource was made.
    private(set) var lastDelivered: UInt64?
    /// Time between two frames, if the camera says.
    private(set) var period: Duration?
    /// In nanoseconds, all three.
    private var patience: Int64 = 1_000_000_000
    private var lateness: Int64 = 0
    private var settleTime: Int64 = 0
    private var start = MonotonicTime(nanoseconds: 0)
    private var settleLeft = 0
    private(set) var hasFirst = false
    /// Bad frames since the last good one.
    var badRun = 0
    /// EIO in a row.
    var faultRun = 0
    /// Restarts in place since the last good frame.
    var restarts = 0
    /// Frames lost or bad since the last that was handed on.
    var lostBefore = 0

    private var lastSequence: UInt32?
    private var lastStamp: Int64 = .min
    /// No frame has come since the stream began.
    private var isAnew = true
    private var sequence: UInt64 = 0
    /// How often the device's counter went back.
    private(set) var stepsBack = 0

    /// Bad frames in a row after which the stream is started anew.
    static let badLimit = 16
    static let faultLimit = 3
    static let restartLimit = 2

    mutating func begin(_ now: MonotonicTime, _ wish: CameraConfiguration, rate: Hertz?) {
        period = rate.map(\.period)
        patience = (wish.frameDeadline ?? max(.seconds(1), (period ?? .zero) * 5)).wholeNanoseconds
        lateness = ((period ?? .milliseconds(33)) * 3 / 2).wholeNanoseconds
        settleLeft = wish.settleFrames
        settleTime = wish.settleTime.wholeNanoseconds
        hasFirst = false
        lastDelivered = nil
        (restarts, lostBefore, sequence) = (0, 0, 0)
        (lastSequence, lastStamp) = (nil, .min)
        restart(now)
    }

    /// The stream begins, or begins anew within an acquire.
    mutating func restart(_ now: MonotonicTime) {
        start = now
        (badRun, faultRun, isAnew) = (0, 0, true)
        extend(now)
    }

    mutating func extend(_ now: MonotonicTime) {
        deadline = MonotonicTime(nanoseconds: now.nanoseconds &+ patience)
    }

    /// Whether another frame may be waiting behind this one: it is older than its successor should be.
    func isLate(_ stamp: MonotonicTime, _ now: MonotonicTime) -> Bool {
        now.nanoseconds &- stamp.nanoseconds > lateness
    }

    /// What the device's counter says of the way from the last buffer to this one.
    enum Step: Equatable {
        /// So many are missing in between.
        case next(missing: Int)
        /// The same frame once more.
        case again
        /// The counter went back, or jumped beyond sense: nothing can be said of what is missing.
        case back
    }

    /// Counts a dequeued buffer, good or bad. Unsigned, so that a counter that wraps is nothing special.
    mutating func step(_ number: UInt32, stamp: Int64) -> Step {
        // Also across a restart: what comes once more then has not been taken since.
        if number == lastSequence, stamp == lastStamp { return .again }
        defer { (lastSequence, lastStamp, isAnew) = (number, stamp, false) }
        guard let last = lastSequence, !isAnew else {
            // The first of the stream: what the device lost before it, nobody waited for.
            sequence = hasFirst || sequence > 0 ? sequence + 1 : UInt64(number)
            return .next(missing: 0)
        }
        let way = number &- last
        if way == 0 {
            // A counter that stands still (v4l2loopback): the stamps tell the frames apart.
            sequence += 1
            return .next(missing: 0)
        }
        guard way < 1 << 31 else {
            stepsBack += 1
            sequence += 1
            return .back
        }
        sequence += UInt64(way)
        return .next(missing: Int(way) - 1)
    }

    /// A good frame: its number in the stream, or nil while exposure settles.
    mutating func good(_ now: MonotonicTime) -> UInt64? {
        (badRun, faultRun, restarts) = (0, 0, 0)
        extend(now)
        if settleLeft > 0 {
            settleLeft -= 1
            return nil
        }
        if settleTime > 0 {
            if now.nanoseconds &- start.nanoseconds < settleTime { return nil }
            settleTime = 0
        }
        lastDelivered = sequence
        return sequence
    }

    /// The first of this acquire has been handed on.
    mutating func first() { hasFirst = true }
}
