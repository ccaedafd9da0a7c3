/// How times are distributed, in memory of a fixed size: mean, deviation and the ends are exact, what lies between to 2 %.
final class TimeDistribution {
    /// In milliseconds.
    struct Spread {
        var median: Double
        var mean: Double
        var deviation: Double
        var p99: Double
        var max: Double
    }

    /// Classes for each power of two.
    private static let steps = 64
    private static let classes = 64 * steps
    /// Times below zero first (a driver may stamp a frame with the end of its period), the most negative in front.
    private let counts: UnsafeMutablePointer<UInt32>
    // Touched for each frame, by one thread at a time: unchecked, so that what is measured is not the measuring.
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var sum = 0.0
    @exclusivity(unchecked) private var squares = 0.0
    @exclusivity(unchecked) private var greatest = Int64.min

    init() {
        counts = .allocate(capacity: 2 * Self.classes)
        counts.initialize(repeating: 0, count: 2 * Self.classes)
    }

    deinit { counts.deallocate() }

    /// - Parameter time: in nanoseconds.
    func add(_ time: Int64) {
        counts[Self.place(time)] += 1
        count += 1
        let value = Double(time)
        sum += value
        squares += value * value
        if time > greatest { greatest = time }
    }

    func reset() {
        counts.update(repeating: 0, count: 2 * Self.classes)
        (count, sum, squares, greatest) = (0, 0, 0, .min)
    }

    /// Nil for no times.
    var spread: Spread? {
        guard count > 0 else { return nil }
        let mean = sum / Double(count)
        let variance = max(0, squares / Double(count) - mean * mean)
        return Spread(
            median: value(at: count / 2), mean: mean / 1e6, deviation: variance.squareRoot() / 1e6,
            p99: value(at: min(count - 1, count * 99 / 100)), max: Double(greatest) / 1e6)
    }

    /// The time that so many lie below, in milliseconds.
    private func value(at rank: Int) -> Double {
        var below = 0
        for place in 0..<2 * Self.classes {
            below += Int(counts[place])
            if below > rank { return min(Self.middle(place), Double(greatest)) / 1e6 }
        }
        return Double(greatest) / 1e6
    }

    private static func place(_ time: Int64) -> Int {
        let size = time.magnitude
        var place = Int(truncatingIfNeeded: size)
        if size >= UInt64(2 * steps) {
            let shift = 63 - size.leadingZeroBitCount - 6
            place = shift * steps + Int(size >> UInt64(shift))
        }
        return time < 0 ? classes - 1 - place : classes + place
    }

    private static func middle(_ place: Int) -> Double {
        let size = place < classes ? classes - 1 - place : place - classes
        var value = Double(size)
        if size >= 2 * steps {
            let shift = size / steps - 1
            value = (Double(size - shift * steps) + 0.5) * Double(UInt64(1) << UInt64(shift))
        }
        return place < classes ? -value : value
    }
}
