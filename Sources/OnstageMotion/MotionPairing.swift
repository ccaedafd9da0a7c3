public import OnstageCore

/// What an accelerometer and a gyroscope felt at the same moment.
public struct MotionPair: Hashable, Sendable {
    /// The acceleration's.
    public var timestamp: MonotonicTime
    /// x, y and z of the machine, in m/s².
    public var acceleration: SIMD3<Double>
    /// x, y and z of the machine, in rad/s: between the two readings around that moment on a straight line, or the nearest one
    /// where there is none on its other side.
    public var rotation: SIMD3<Double>

    public init(timestamp: MonotonicTime, acceleration: SIMD3<Double>, rotation: SIMD3<Double>) {
        self.timestamp = timestamp
        self.acceleration = acceleration
        self.rotation = rotation
    }
}

/// Brings the samples of an accelerometer and a gyroscope together by their times.
///
/// Two sensors take their samples at moments of their own, and a batch of one may come long before a batch of the other. For
/// each acceleration there is one pair, oldest first, as soon as what is known of the turning lies on both of its sides.
public struct MotionPairing: Sendable {
    /// So long an acceleration waits for a later turn: a gyroscope that has fallen silent holds nothing up.
    public let patience: Duration
    private var accelerations: [MotionSample] = []
    /// From the last one at or before the oldest acceleration on.
    private var rotations: [MotionSample] = []

    /// - Parameter patience: in the samples' own time; more than either sensor's batch is long.
    public init(patience: Duration = .seconds(1)) {
        self.patience = patience
    }

    /// Takes the next sample of either sensor, and answers the pairs that it completes. Samples of one kind come in the order of
    /// their times; one that does not is left out.
    public mutating func take(_ sample: MotionSample) -> [MotionPair] {
        switch sample.kind {
        case .accelerometer:
            if let last = accelerations.last, sample.timestamp <= last.timestamp { return [] }
            accelerations.append(sample)
        case .gyroscope:
            if let last = rotations.last, sample.timestamp <= last.timestamp { return [] }
            rotations.append(sample)
        }
        return pairs { [patience, rotations] acceleration, newest in
            guard let last = rotations.last else { return newest - acceleration > patience }
            return last.timestamp >= acceleration || newest - acceleration > patience
        }
    }

    /// The pairs of what still waits. It can be used again.
    public mutating func finish() -> [MotionPair] {
        defer { rotations.removeAll() }
        return pairs { _, _ in true }
    }

    /// - Parameter isDue: of an acceleration's time and that of the newest one.
    private mutating func pairs(_ isDue: (MonotonicTime, MonotonicTime) -> Bool) -> [MotionPair] {
        guard let newest = accelerations.last?.timestamp else {
            // What is before it all is the last of them.
            if rotations.count > 1 { rotations.removeFirst(rotations.count - 1) }
            return []
        }
        var (pairs, used) = ([MotionPair](), 0)
        while used < accelerations.count, isDue(accelerations[used].timestamp, newest) {
            let sample = accelerations[used]
            pairs.append(
                MotionPair(
                    timestamp: sample.timestamp, acceleration: sample.value, rotation: rotation(at: sample.timestamp)))
            used += 1
        }
        accelerations.removeFirst(used)
        return pairs
    }

    /// The turning at `time`; what lies before it is not needed again.
    private mutating func rotation(at time: MonotonicTime) -> SIMD3<Double> {
        let after = rotations.firstIndex { $0.timestamp >= time } ?? rotations.count
        if after > 1 { rotations.removeFirst(after - 1) }
        guard let first = rotations.first else { return .zero }
        guard first.timestamp < time, rotations.count > 1 else { return first.value }
        let next = rotations[1]
        let step = Double((next.timestamp - first.timestamp).wholeNanoseconds)
        let part = Double((time - first.timestamp).wholeNanoseconds) / step
        return first.value + (next.value - first.value) * part
    }
}
