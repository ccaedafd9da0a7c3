/// How loud each frame of a stream is: the volume, a duck and the fades, as one line over the frames of content.
///
/// A change is a ramp, never a step, so that it does not click. The level of a frame follows from its number alone: a frame
/// that a device gave back and that is written again comes as loud as before, up to where a new ramp begins.
struct GainEnvelope: Hashable, Sendable {
    private struct Ramp: Hashable, Sendable {
        /// The first frame of it.
        var start: Int64 = 0
        var frames: Int64 = 0
        var from = 1.0
        var to = 1.0
    }

    /// Oldest first; the last one lasts for ever. Never empty, never grows beyond its capacity.
    private var ramps: [Ramp]

    private static let most = 16

    init(level: Double = 1) {
        ramps = []
        ramps.reserveCapacity(Self.most)
        ramps.append(Ramp(from: level, to: level))
    }

    /// Where the line leads in the end.
    var target: Double { ramps[ramps.count - 1].to }

    /// A stream begins: at `level`, or from nothing to it over its first `fade` frames.
    mutating func begin(_ level: Double, fade: Int64 = 0) {
        ramps.removeAll(keepingCapacity: true)
        ramps.append(Ramp(frames: fade, from: fade > 0 ? 0 : level, to: level))
    }

    /// From frame `start` on it goes to `level`, in `frames` frames. What was said of later frames is void.
    mutating func aim(_ level: Double, at start: Int64, over frames: Int64) {
        let from = self.level(start)
        while ramps.count > 1, ramps[ramps.count - 1].start >= start { ramps.removeLast() }
        if ramps.count == Self.most { ramps.removeFirst() }
        ramps.append(Ramp(start: start, frames: max(0, frames), from: from, to: level))
    }

    /// The level of a frame; 0…1.
    func level(_ frame: Int64) -> Double {
        var index = ramps.count - 1
        while index > 0, ramps[index].start > frame { index -= 1 }
        let ramp = ramps[index]
        let within = frame - ramp.start
        if within >= ramp.frames { return ramp.to }
        guard within >= 0 else { return ramp.from }
        // A curve without a corner at either end: 3x² − 2x³. No frame of a fade is quite silent.
        let x = Double(within + 1) / Double(ramp.frames + 1)
        return ramp.from + (ramp.to - ramp.from) * x * x * (3 - 2 * x)
    }

    /// The frame from which on it stays what it is.
    var settled: Int64 {
        let last = ramps[ramps.count - 1]
        return last.start + last.frames
    }

    /// The one level of the `count` frames from `frame` on; nil where it changes among them.
    func constant(_ frame: Int64, _ count: Int) -> Double? {
        let last = ramps[ramps.count - 1]
        if frame >= settled { return last.to }
        guard ramps.allSatisfy({ $0.from == last.to && $0.to == last.to }) else { return nil }
        return last.to
    }
}
